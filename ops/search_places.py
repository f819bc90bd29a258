"""Where a search may be asked besides a daemon: a state folder that is read as it lies there, or a snapshot.

A folder is read by the daemon's own API, in process and without a socket: so results are the same wherever they come
from. Nothing is written to it and no lock is taken.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

import httpx
import msgspec
import structlog

from biographer.daemon.access import Gate
from biographer.daemon.api import Api
from biographer.daemon.client_async import AsyncClient
from biographer.daemon.clock import now_us
from biographer.daemon.health import Health
from biographer.daemon.limits import Failures
from biographer.daemon.networks import Networks
from biographer.daemon.origins import Origins
from biographer.daemon.parts import OFF, rule_of
from biographer.daemon.sessions import Sessions
from biographer.daemon.settings import Settings
from biographer.daemon.text_embedding import texts_for_command
from biographer.daemon.text_vectors import TextVectors
from biographer.daemon.tokens import TokenBook
from biographer.ops.exporting import Steps
from biographer.ops.importing import take_in
from biographer.ops.snapshot_parquet import refuse_missing_extra
from biographer.state.errors import FatalError, RefusedError, TransientError
from biographer.state.folder import StateFolder, stream_folder
from biographer.state.index import Index
from biographer.state.memory import Memory
from biographer.state.restore import restore
from biographer.state.rule import Rule
from biographer.state.store import Store

_TRIES = 5
_INSIDE = "http://127.0.0.1"

Say = Callable[[str], None]


@asynccontextmanager
async def folder_client(state: Path, settings: Settings, say: Say, *, images: bool) -> AsyncIterator[AsyncClient]:
    """Yield a client of a state folder that is only read; `say` is told what is missing for a whole answer."""
    with ExitStack() as stack:
        memories = stack.enter_context(ReadMemories(state, rule_of(settings)))
        # Who may read the folder may read it here: tokens are for those who come over the network.
        book = TokenBook(Path(stack.enter_context(TemporaryDirectory())))
        gate = Gate(book, Sessions(time.monotonic, bytes), Failures(time.monotonic), now_us)
        log = structlog.get_logger()
        api = Api(state, gate, Origins(()), Health(), bytes, 0, time.monotonic, log)
        stack.callback(api.close)
        texts = stack.enter_context(texts_for_command(settings.language, state, lambda why: say(why) if why else None))
        networks = _networks(settings, texts, say, images=images)
        api.search.connect(
            memories,
            networks.texts.of_question if networks.texts else lambda _: None,
            *([networks.pictures.of_picture] if networks.pictures else []),
        )
        transport = httpx.ASGITransport(api.application(), client=("127.0.0.1", 0))
        async with AsyncClient(_INSIDE, transport=transport) as client:
            yield client


@asynccontextmanager
async def snapshot_client(
    snapshot: Path, settings: Settings, say: Say, steps: Steps, *, images: bool
) -> AsyncIterator[AsyncClient]:
    """Yield a client of a snapshot, which is checked and taken into a folder that goes with this block."""
    with taken_in(snapshot, settings, steps) as place:
        async with folder_client(place, settings, say, images=images) as client:
            yield client


@contextmanager
def taken_in(snapshot: Path, settings: Settings, steps: Steps) -> Iterator[Path]:
    """Yield a state folder of a snapshot's one stream, which goes with this block. Raises as `take_in`."""
    refuse_missing_extra()
    with TemporaryDirectory(prefix="biographer-") as place:
        folder = StateFolder(Path(place), rule_of(settings))
        try:
            take_in(snapshot, folder, steps)
        finally:
            folder.close()
        yield Path(place)


class ReadMemories:
    """The memories of a state folder, rebuilt from what is in it when each is first asked for. Any thread."""

    def __init__(self, path: Path, rule: Rule) -> None:
        self.path = path
        self._rule = rule
        self._stores: list[Store] = []
        self._known: dict[str, Memory] = {}
        self._turn = Lock()

    def __enter__(self) -> "ReadMemories":
        return self

    def __exit__(self, *_: object) -> None:
        for store in self._stores:
            store.close()

    def memory(self, name: str) -> Memory | None:
        """Return a stream's memory, None where there is no such stream."""
        with self._turn:
            file = stream_folder(self.path, name) / "memory.db"
            if name not in self._known and file.exists():
                self._stores.append(Store(file, name, write=False))
                self._known[name] = self._restored(self._stores[-1], name)
            return self._known.get(name)

    def _restored(self, store: Store, name: str) -> Memory:
        """Rebuild a memory and its index of one state of the store, which somebody may be writing."""
        for _ in range(_TRIES):
            with store.database.reading():
                memory = restore(store, name, self._rule)
            if memory.index.extent.version == memory.version:
                return memory
        raise TransientError(f"stream {name!r} changes faster than it can be read; ask its daemon, with --url")

    def at_hand(self, name: str) -> Index | None:
        """Return a stream's index where it has been asked for before."""
        memory = self._known.get(name)
        return None if memory is None else memory.index


def _networks(settings: Settings, texts: TextVectors | None, say: Say, *, images: bool) -> Networks:
    """Return what questions are embedded by; without it they go by their words."""
    embedder = settings.perceive.embedder if images else OFF
    section = msgspec.structs.replace(settings.perceive, detector=OFF, embedder=embedder)
    try:
        return Networks.load(msgspec.structs.replace(settings, perceive=section), texts)
    except (RefusedError, FatalError) as error:
        if images:
            raise
        say(f"searching by words alone: {error}")
        return Networks(None, None)
