"""Who embeds the texts: the model of an endpoint where the settings name one for it, else a network of this machine.

The vectors of a stream's texts are all of one embedder; those of another would compare with none of them, so a change
of it is refused before anything is embedded.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from biographer.daemon.language import LanguageModels
from biographer.daemon.language_roles import LanguageRole, played
from biographer.daemon.language_section import Language
from biographer.daemon.parts import models_named
from biographer.daemon.settings import Settings
from biographer.daemon.text_vectors import TextVectors
from biographer.daemon.vector_lengths import text_embedder_of, text_lengths
from biographer.models.endpoint_embedder import EndpointTextEmbedder, is_of_model
from biographer.models.waiting import LoopThread, Wait
from biographer.state.errors import RefusedError
from biographer.state.folder import stream_names


def endpoint_texts(
    models: LanguageModels, wait: Wait, state: Path, report: Callable[[str | None], None] | None = None
) -> TextVectors | None:
    """Return what has texts embedded at an endpoint, None where nobody plays that; `report` as for TextVectors.

    The streams in the folder `state` say how long its vectors are.
    """
    model = models.embedding(LanguageRole.TEXT_EMBEDDER, partial(text_lengths, state))
    return None if model is None else TextVectors(EndpointTextEmbedder(model, wait), report)


@contextmanager
def texts_for_command(
    section: Language, state: Path, report: Callable[[str | None], None] | None = None
) -> Iterator[TextVectors | None]:
    """Yield the same for a command that runs no event loop."""
    if LanguageRole.TEXT_EMBEDDER not in section.models:
        # Nothing else of the section matters to it, a key that only the daemon may read included.
        yield None
        return
    with LoopThread() as thread:
        models = LanguageModels(section, clock=time.monotonic, random=random.SystemRandom().random, wall=time.time)
        try:
            yield endpoint_texts(models, thread.wait, state, report)
        finally:
            thread.wait(models.close())


def refuse_another(settings: Settings) -> None:
    """Raise RefusedError where a stream's texts have vectors of another embedder than the settings name. Blocks."""
    section, role = settings.language, LanguageRole.TEXT_EMBEDDER
    model = next((one.model for one in played(section) if one.role is role), None) if role in section.models else None
    named = model or models_named(settings).get("text_embedder")
    if named is not None:
        refuse_other(Path(settings.state.folder), named)


def refuse_other(state: Path, embedder: str) -> None:
    """Raise RefusedError where a stream's texts have vectors of another embedder than this. Blocks.

    `embedder` is the name of a network, or of an endpoint's model, whose vectors a store knows by their length too.
    """
    for name in stream_names(state):
        known = text_embedder_of(state, name) or embedder
        if known != embedder and not is_of_model(known, embedder):
            raise RefusedError(
                f"the texts of stream {name!r} have vectors of {known!r}, which those of {embedder!r} compare with "
                "nowhere: name that embedder again (perceive.text_embedder or language.models), set none, or feed "
                "the log to another state folder"
            )
