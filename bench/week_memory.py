"""A recorded week of lines as a state folder, for benches that ask a memory: ingested as any clips are, then closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from biographer.bench.embedded import embedded
from biographer.bench.questions import read_clips
from biographer.bench.report import Say, paced
from biographer.models.roles import TextEmbedder
from biographer.state.folder import StateFolder
from biographer.state.observation import Embedding
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule
from biographer.state.wording import wording

STREAM = "week"


@contextmanager
def week_folder(clips: Path, embedder: TextEmbedder, rule: Rule, say: Say) -> Iterator[Path]:
    """Yield a state folder of the clips' one stream, which goes with this block; each text is embedded once."""
    week = list(read_clips(clips, STREAM))
    texts = list(dict.fromkeys(text for clip in week for text in wording(clip, ())))
    vectors = dict(zip(texts, embedded(texts, embedder, say), strict=True))
    with TemporaryDirectory(prefix="biographer-week-") as place:
        folder = StateFolder(Path(place), rule)
        try:
            stream = folder.stream(STREAM)
            for clip in paced(week, len(week), "clips", say):
                given = {text: Embedding.of(embedder.name, vectors[text]) for text in wording(clip, ())}
                stream.apply(Perceived(clip, (), {}, given))
        finally:
            folder.close()
        yield Path(place)
