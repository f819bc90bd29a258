"""One piece, from what it is written from to what came of it: which writer is asked, and what is filed.

What blocks runs in threads of the desk's own, so that decoding views takes none from ingest.
"""

from dataclasses import dataclass

from biographer.daemon.readings import Pool
from biographer.daemon.text_vectors import TextVectors
from biographer.daemon.writing_material import Material
from biographer.daemon.writing_roles import Writers
from biographer.models.casting import CastingDirector
from biographer.models.chaining import Extended
from biographer.models.chat_model import Unusable
from biographer.models.extracting import Facts
from biographer.models.transcriber import Transcriber
from biographer.state.agenda import Due
from biographer.state.amendment import Written
from biographer.state.description import Undescribable
from biographer.state.errors import FatalError
from biographer.state.heard import Heard
from biographer.state.remark import Remark
from biographer.state.stretch import Stretch
from biographer.state.told import texts_of
from biographer.state.unwritten import Unwritten


@dataclass(frozen=True, slots=True)
class Desk:
    """Of one stream; `texts` gives what is written its vectors, where there is a text embedder."""

    writers: Writers
    material: Material
    texts: TextVectors | None
    pool: Pool

    async def write(self, due: Due, clips: tuple[str, ...]) -> Written:
        """Return what came of a piece about clips; raises TransientError and RefusedError as the models do."""
        remarks = await self._remarks(due)
        wording = [text for remark in remarks for text in texts_of(remark)]
        vectors = self.texts
        given = {} if vectors is None or not wording else await self.pool.run(lambda: vectors.of_texts(wording))
        return Written(due.piece, due.known_us, clips, remarks, given)

    async def _remarks(self, due: Due) -> tuple[Remark, ...]:
        writers, material = self.writers, self.material
        match due.piece.writing:
            case "description" if writers.describer is not None:
                encounter = await self.pool.run(lambda: material.encounter(due))
                return (await writers.describer.describe(encounter),)
            case "caption" if writers.captioner is not None:
                moment = await self.pool.run(lambda: material.moment(due))
                return (await writers.captioner.caption(moment),)
            case "relations" if writers.relater is not None:
                scene = await self.pool.run(lambda: material.scene(due))
                return _several(await writers.relater.relate(scene))
            case "hearing" if writers.transcriber is not None and due.stretch is not None:
                return await self._hearing(writers.transcriber, due, due.stretch)
            case "cast" | "profiles" if writers.caster is not None and due.stretch is not None:
                return await self._cast(writers.caster, due, due.stretch)
            case _:
                return await self._of_window(due)

    async def _hearing(self, transcriber: Transcriber, due: Due, stretch: Stretch) -> tuple[Remark, ...]:
        sound = await self.pool.run(lambda: self.material.sound(due))
        if isinstance(sound, str):
            return (transcriber.unheard(stretch, sound),)
        found = None if sound is None else await transcriber.hear(stretch, sound)
        return () if found is None or (isinstance(found, Heard) and not found.lines) else (found,)

    async def _cast(self, caster: CastingDirector, due: Due, stretch: Stretch) -> tuple[Remark, ...]:
        if due.piece.writing == "cast":
            ensemble = await self.pool.run(lambda: self.material.ensemble(due))
            return _several(await caster.cast(ensemble)) if ensemble.people else ()
        day_us, notes = await self.pool.run(lambda: self.material.notes(due))
        if not notes:
            return ()
        found = await caster.profile(notes, day_us, due.known_us)
        return (Unwritten("profiles", stretch, found.author, found.reason),) if isinstance(found, Unusable) else found

    async def _of_window(self, due: Due) -> tuple[Remark, ...]:
        texts, stretch = await self.pool.run(lambda: self.material.texts(due)), due.stretch
        if due.piece.writing == "summary" and self.writers.summariser is not None and stretch is not None:
            return (await self.writers.summariser.summarise(stretch, texts),)
        if due.piece.writing == "chains" and self.writers.chronicler is not None and stretch is not None:
            chapter = await self.pool.run(lambda: self.material.chapter(due, texts))
            links = await self.writers.chronicler.extend(chapter)
            return (*links.facts, *links.steps) if isinstance(links, Extended) else (links,)
        if due.piece.writing == "names" and self.writers.extractor is not None and stretch is not None:
            found = await self.writers.extractor.extract(stretch, texts)
            return (*found.names, *found.triples) if isinstance(found, Facts) else (found,)
        raise FatalError(f"{due.piece} is due and nobody writes such; report this")


def is_usable(written: Written) -> bool:
    """Whether a piece brought what was asked for, and not the reason why there is none."""
    return not any(isinstance(remark, Undescribable | Unwritten) for remark in written.remarks)


def _several(found: tuple[Remark, ...] | Unwritten) -> tuple[Remark, ...]:
    return (found,) if isinstance(found, Unwritten) else found
