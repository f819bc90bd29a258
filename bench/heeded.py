"""A language model whose failures are heeded: a benchmark does not count as unanswered what nobody could be asked."""

from typing import TypeVar

from biographer.daemon.asking import Speaker
from biographer.models.chat import ChatRequest
from biographer.models.chat_model import Filled, Unusable
from biographer.models.form import Form
from biographer.state.errors import RefusedError, TransientError

FormT = TypeVar("FormT", bound=Form)


class Heeded:
    """Speaks as another does, and notes why that failed; the question loop goes on without, which a daemon's should."""

    def __init__(self, speaker: Speaker) -> None:
        self.name: str = getattr(speaker, "name", "")
        self._speaker = speaker
        self._failed: TransientError | RefusedError | None = None

    async def fill(self, request: ChatRequest, form: type[FormT]) -> Filled[FormT] | Unusable:
        """Return what the other does. Raises as it does."""
        try:
            return await self._speaker.fill(request, form)
        except (TransientError, RefusedError) as error:
            self._failed = error
            raise

    def check(self) -> None:
        """Raise what it failed with."""
        if self._failed is not None:
            raise self._failed
