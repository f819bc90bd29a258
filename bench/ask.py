"""`biographer bench ask`: what the question loop itself takes, with models that take no time and searches left out.

The daemon's API serves a memory of a week in a process of its own, and asks the language server of this one. A
question is sent as a client sends it, and told as events: the first is awaited, and each search says how long it took.
"""

import asyncio
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import httpx
import msgspec

from biographer.bench.language_server import LanguageServer
from biographer.bench.population import PER_CLIP, WEEK_OBSERVATIONS
from biographer.bench.report import Report, Say, report, spread
from biographer.bench.sample import shipped_sample
from biographer.bench.scripted_answers import ScriptedAnswers
from biographer.bench.seeding import STREAM, Recording, seed
from biographer.bench.served import free_port
from biographer.bench.served_api import ServedApi, until_ready
from biographer.daemon.ask_section import Ask
from biographer.daemon.http import LOOPBACK
from biographer.state.errors import FatalError, TransientError
from biographer.state.folder import StateFolder

OVERHEAD_MS = 30.0
FIRST_EVENT_MS = 100.0
_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True)
class Workload:
    """A memory of so many observations, `questions` asked one after another, each of so many rounds."""

    size: int = WEEK_OBSERVATIONS
    questions: int = 30
    rounds: int = 3
    seed: int = 7


@dataclass(slots=True)
class Timed:
    """What one question took, in seconds: to its first event, in each search, and in all."""

    first: float = 0.0
    whole: float = 0.0
    rounds: int = 0
    tokens: int = 0
    searches: list[float] = field(default_factory=list)

    @property
    def overhead(self) -> float:
        """What a round took without its searches."""
        return (self.whole - sum(self.searches)) / max(1, self.rounds)


def measure(work: Workload, folder: Path | None, say: Say) -> Report:
    """Seed a memory, serve it, ask."""
    began = time.time()
    clips = max(1, round(work.size / PER_CLIP))
    recording = Recording(shipped_sample(), clips, work.seed, PER_CLIP)
    with tempfile.TemporaryDirectory(prefix="biographer-bench-", dir=folder) as place:
        state = Path(place)
        memory = StateFolder(state, recording.rule)
        try:
            seed(memory.stream(STREAM).store, recording, clips, say)
        finally:
            memory.close()
        timed = asyncio.run(_asked(work, state, _questions(work, recording, clips), say))
    figures = _figures(timed) | {"observations": clips * PER_CLIP}
    meets = {
        "overhead_ms_per_round": figures["overhead_ms_per_round"] <= OVERHEAD_MS,
        "first_event_ms": figures["first_event_ms"] <= FIRST_EVENT_MS,
    }
    return report("ask", began, asdict(work), figures, meets)


def _questions(work: Workload, recording: Recording, clips: int) -> list[str]:
    chance = random.Random(work.seed)  # noqa: S311 - which clips are asked about
    asked = [recording.perceived(chance.randrange(clips)).clip for _ in range(work.questions)]
    return [clip.lines[chance.randrange(len(clip.lines))].text for clip in asked]


def _figures(timed: Sequence[Timed]) -> dict[str, float]:
    overhead, first = spread([one.overhead for one in timed]), spread([one.first for one in timed])
    searches = spread([search for one in timed for search in one.searches])
    return {
        "overhead_ms_per_round": overhead["median"],
        "overhead_ms_per_round_p95": overhead["p95"],
        "first_event_ms": first["p95"],
        "first_event_ms_median": first["median"],
        "search_ms": searches["median"],
        "question_ms": spread([one.whole for one in timed])["median"],
        "rounds": sum(one.rounds for one in timed) / len(timed),
        "tokens": round(sum(one.tokens for one in timed) / len(timed), 1),
    }


async def _asked(work: Workload, state: Path, questions: Sequence[str], say: Say) -> list[Timed]:
    port = free_port()
    async with LanguageServer(ScriptedAnswers(work.rounds, Ask().rounds)) as language:
        with ServedApi(state, port, language.url).running() as served:
            async with httpx.AsyncClient(base_url=f"http://{LOOPBACK}:{port}", timeout=_PATIENCE_S) as client:
                say("opening the memory")
                await until_ready(served, lambda: _begun(client, questions[0]), _PATIENCE_S)
                say(f"asking {len(questions)} questions")
                return [await _question(client, text) for text in questions]


async def _begun(client: httpx.AsyncClient, text: str) -> Timed:
    try:
        return await _question(client, text)
    except httpx.TransportError as error:
        raise TransientError(f"nobody listens yet: {error}; ask again in a moment") from error


async def _question(client: httpx.AsyncClient, text: str) -> Timed:
    timed, began, event = Timed(), time.perf_counter(), ""
    headers = {"accept": "text/event-stream"}
    path = f"/v1/streams/{STREAM}/ask"
    async with client.stream("POST", path, json={"text": text}, headers=headers) as told:
        if told.status_code == 503:
            raise TransientError("the memory is being opened; ask again in a moment")
        async for line in told.aiter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
                timed.first = timed.first or time.perf_counter() - began
            elif line.startswith("data: "):
                _note(timed, event, msgspec.json.decode(line.removeprefix("data: ")))
    timed.whole = time.perf_counter() - began
    if event != "answer" or not timed.tokens:
        raise FatalError(f"question {text!r} ended with {event or 'nothing'!r}; the language server plays no answer")
    return timed


def _note(timed: Timed, event: str, told: dict[str, object]) -> None:
    if event == "search":
        timed.searches.append(float(str(told["took_ms"])) / 1000)
    elif event == "round":
        timed.rounds += 1
    elif event == "answer" and told["answer"]:
        timed.tokens = int(str(told["tokens"]))
