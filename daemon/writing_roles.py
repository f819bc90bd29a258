"""Who writes: the models of the settings in their writing roles, each by its prompt, None where nobody plays one."""

import asyncio
from collections.abc import Container
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from biographer.daemon.inline_hearing import InlineHearing
from biographer.daemon.inline_wait import InlineWait
from biographer.daemon.inline_words import InlineWords
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_roles import LanguageRole
from biographer.daemon.perception import Keep
from biographer.daemon.vector_lengths import subject_lengths
from biographer.models.captioning import Captioner
from biographer.models.casting import CastingDirector
from biographer.models.chaining import Chronicler
from biographer.models.describing import GroundedDescriber
from biographer.models.endpoint_embedder import SubjectEmbedder, subjects_name
from biographer.models.extracting import Extractor
from biographer.models.inline import InlineDescriber
from biographer.models.prompt import load_prompt
from biographer.models.relating import Relater
from biographer.models.summarising import Summariser
from biographer.models.transcriber import Transcriber
from biographer.state.agenda import WINDOW_WRITINGS
from biographer.state.description import Mode

ROLE_OF = {
    "hearing": LanguageRole.TRANSCRIBER,
    "description": LanguageRole.DESCRIBER,
    "caption": LanguageRole.CAPTIONER,
    "summary": LanguageRole.SUMMARISER,
    "names": LanguageRole.EXTRACTOR,
    "relations": LanguageRole.RELATER,
    "chains": LanguageRole.CHRONICLER,
    "cast": LanguageRole.CASTER,
    "profiles": LanguageRole.CASTER,
}
"""By which role each kind of piece is written."""


@dataclass(frozen=True, slots=True)
class Writers:
    """All writers of one stream, whose days are those of a zone."""

    describer: GroundedDescriber | None
    captioner: Captioner | None
    summariser: Summariser | None
    extractor: Extractor | None
    relater: Relater | None
    chronicler: Chronicler | None
    caster: CastingDirector | None
    transcriber: Transcriber | None

    @classmethod
    def of(cls, models: LanguageModels, zone: tzinfo) -> "Writers":
        """Return those that somebody plays."""
        wearer = models.section.wearer
        describer, captioner = models.chat(LanguageRole.DESCRIBER), models.chat(LanguageRole.CAPTIONER)
        summariser, extractor = models.chat(LanguageRole.SUMMARISER), models.chat(LanguageRole.EXTRACTOR)
        relater, chronicler = models.chat(LanguageRole.RELATER), models.chat(LanguageRole.CHRONICLER)
        caster, cast = models.chat(LanguageRole.CASTER), (load_prompt("cast"), load_prompt("profile"))
        return cls(
            None if describer is None else GroundedDescriber(describer, load_prompt("describe")),
            None if captioner is None else Captioner(captioner, load_prompt("caption"), wearer),
            None if summariser is None else Summariser(summariser, load_prompt("summarise"), wearer, zone),
            None if extractor is None else Extractor(extractor, load_prompt("extract"), wearer, zone),
            None if relater is None else Relater(relater, load_prompt("relate"), wearer, zone),
            None if chronicler is None else Chronicler(chronicler, load_prompt("chain"), wearer, zone),
            None if caster is None else CastingDirector(caster, *cast, wearer),
            models.transcriber(),
        )


def wanted(playing: Container[LanguageRole]) -> frozenset[str]:
    """Return what can be written where these roles are played."""
    return frozenset(writing for writing, role in ROLE_OF.items() if role in playing)


def is_rest_noted(playing: Container[LanguageRole]) -> bool:
    """Whether anything is written where these roles are played that goes on once a stream rests."""
    return not wanted(playing).isdisjoint({"description", *WINDOW_WRITINGS})


def inline_words_of(
    models: LanguageModels, loop: asyncio.AbstractEventLoop, log: FilteringBoundLogger, state: Path
) -> InlineWords | None:
    """Return what describes within perception, None where that is done later or by nobody.

    The streams in the folder `state` say how long an embedder's vectors are.
    """
    section, chat = models.section, models.chat(LanguageRole.DESCRIBER)
    if chat is None or Mode(section.mode) is not Mode.INLINE:
        return None
    embedding = models.embedding(LanguageRole.EMBEDDER, lambda model: subject_lengths(state, subjects_name(model)))
    embedder = None if embedding is None else SubjectEmbedder(embedding)
    describer = InlineDescriber(GroundedDescriber(chat, load_prompt("describe")), embedder)
    return InlineWords(describer, InlineWait(loop, section.inline_s), section.views, log)


def inline_hearing_of(
    models: LanguageModels, keep: Keep, loop: asyncio.AbstractEventLoop, log: FilteringBoundLogger
) -> InlineHearing | None:
    """Return what listens within perception, None where it is done later or by nobody.

    Later there has to be something to listen to; and who describes within perception reads what was said.
    """
    transcriber, section = models.transcriber(), models.section
    if transcriber is None or (keep == "clips" and Mode(section.mode) is not Mode.INLINE):
        return None
    return InlineHearing(transcriber, InlineWait(loop, section.inline_s), log)
