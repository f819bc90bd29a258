"""A pipeline with its writers over a log in memory, clips with pictures, and answers that follow from questions."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import sha256

import numpy as np
import structlog
from daemon_doubles import RULE, clip, running, until

from biographer.bench.language_server import Play
from biographer.bench.smallest import smallest
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_section import Language
from biographer.daemon.writers import StreamWriters
from biographer.models.crops import jpeg
from biographer.state.folder import StateFolder
from biographer.state.remark import remark_of
from biographer.state.state_hash import state_hash, words_hash

CLIPS = 24
"""Of 10 s: a window of 3 minutes closes, and one of 10."""

EVERY = {"description": 2 * 20, "caption": CLIPS, "relations": CLIPS, "summary": 2, "names": 1, "chains": 1}
"""What they make due: each has two subjects, of which the last clips' lack the lines of the 40 s behind them."""

CROP = jpeg(np.zeros((8, 8, 3), np.uint8), 80)


def section(url, **told):
    """Settings that wait for next to nothing."""
    quick = {"pause_first_s": 0.001, "pause_last_s": 0.01, "breaker_pause_s": 0.02, "tries": 1, "breaker_failures": 2}
    return Language(url=url, **{"model": "small", **quick, **told})


@asynccontextmanager
async def writing(path, source, told, **more):
    """A pipeline with its writers; yields both."""
    loop = asyncio.get_running_loop()
    models = LanguageModels(told, clock=loop.time, random=lambda: 1.0, wall=lambda: 0.0)
    try:
        async with running(path, source, **more) as rig:
            log, amend = structlog.get_logger(), rig.pipeline.in_turn.amend
            writers = StreamWriters(path, models, None, amend, rig.metrics, log, gather_s=0.01, rest=rig.rest)
            rig.committed = writers.wake
            rig.pipeline.accompany(writers.run)
            yield rig, writers
    finally:
        await models.close()


def pictured(stream, number):
    """Clip `number`, its subjects with pictures."""
    made = clip(stream, number)
    return replace(made, tracks=tuple(replace(track, crop=CROP) for track in made.tracks))


def sent(count=CLIPS, stream="anna", first=0):
    return [pictured(stream, number) for number in range(first, first + count)]


def pieces(rig, stream="anna"):
    return [row[0] for row in rig.folder.stream(stream).store.select("SELECT writing FROM piece")]


def counts(rig, stream="anna"):
    found = pieces(rig, stream)
    return {writing: found.count(writing) for writing in EVERY}


async def all_written(rig, stream="anna"):
    await until(lambda: counts(rig, stream) == EVERY, 0.01)


def hashes(path, stream="anna"):
    folder = StateFolder(path, RULE)
    try:
        store = folder.stream(stream).store
        return state_hash(store), words_hash(store)
    finally:
        folder.close()


def remarks(path, kind, stream="anna"):
    folder = StateFolder(path, RULE)
    try:
        rows = list(folder.stream(stream).store.select("SELECT kind, body FROM remark WHERE kind = ?", (kind,)))
        return [remark_of(*row) for row in rows]
    finally:
        folder.close()


def answered(asked, delay_s=0.0):
    """An answer that follows from the question and nothing else."""
    form = smallest(asked.body["response_format"]["json_schema"]["schema"])
    told = sha256(asked.text.encode()).hexdigest()[:12]
    words = {key: f"told {told}" for key in ("text", "summary") if key in form}
    return Play(delay_s=delay_s, text=json.dumps({**form, **words}))
