"""The vector of a picture that somebody gives as a query, by the embedder that observations are compared by."""

from biographer.models.picture import opened_picture
from biographer.models.roles import Embedder
from biographer.state.errors import RefusedError
from biographer.state.observation import Embedding


class PictureVectors:
    """An embedder of crops, asked for one picture at a time. Any thread; blocks."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def of_picture(self, content: bytes) -> Embedding:
        """Return a picture's vector; raises RefusedError for what is no picture, or shows nothing to compare."""
        pixels = opened_picture(content)
        try:
            return Embedding.of(self._embedder.name, self._embedder.embed([pixels])[0])
        except RefusedError as error:
            raise RefusedError("the image shows nothing to compare by; send one with more in it") from error
