"""Questions on videos, whose times are seconds of the video and whose answers are words.

multihop: a JSON list as MultiHop-EgoQA's own evaluation reads it: sample_id, segment_id (the video; here the stream's
name), category, Q, A (a sentence), T (seconds from the video's start: one [start, end], or a list of such). Questions
are asked at the end of the video; only those of the stream's video are taken.

m3: a JSON map of M3-Bench from the video (here the stream's name) to its qa_list: question_id, question, answer (a
sentence), and before_clip where it is asked before that clip of 30 s, counted from 0. It tells no evidence.

mmlifelong: a JSON list of MM-Lifelong (day/test.json, week/test.json, month/train.json and val.json of the data set
CG-Bench/MM-Lifelong): index, question, answer (words), question_type, temporal_certificate (how far the evidence
reaches; not used), total_intervals ([[start, end], ...] in seconds of the split, its videos laid end to end), and the
same in each video's own seconds: clue_interval (month) or clue_intervals (day, week), a list of {video_id, intervals},
of bare pairs for the day, which is one video. Questions are asked at the end of the recording; answers are graded by
points. A stream that is named as a video of the file is that video: it is asked what needs no other, by the video's own
seconds. Any other stream is the whole split, by seconds of what it has recorded: gaps, such as a week's nights, are not
counted. Known from code that reads these files (eval/eval_mmlifelong.py of lijiazheng0917/MAGIC-video; loaders of
others, with their tests), not from the files. So it is not verified that every pair rises (reversed ones are turned
round), nor that a week ingested from EgoLife's own clips plays to the same second as the data set's, whose clock may
leave out a first, shorter clip.
"""

from dataclasses import replace
from pathlib import Path

from biographer.bench.answer_scores import Span
from biographer.bench.question_rows import SECONDS_MOST, Row, listed_rows, mapped_row, once_each
from biographer.bench.questions import Choice, Question
from biographer.bench.recorded import Recorded
from biographer.state.errors import RefusedError

_M3_CLIP_S = 30
_CLUES = ("clue_interval", "clue_intervals")


def multihop(path: Path, recorded: Recorded) -> list[Choice]:
    """Return MultiHop-EgoQA's questions on the stream. Raises RefusedError, naming line and field."""
    rows = [row.named("sample_id") for row in listed_rows(path) if row.text("segment_id") == recorded.stream]
    choices = [_in_words(row, ("sample_id", "category", "Q", "A"), recorded, _after(row, recorded)) for row in rows]
    return _on_this(choices, path, recorded)


def m3(path: Path, recorded: Recorded) -> list[Choice]:
    """Return M3-Bench's questions on the stream. Raises RefusedError, naming question and field."""
    videos = mapped_row(path)
    listed = videos.row(recorded.stream).rows("qa_list") if recorded.stream in videos.fields else []
    choices = [
        Choice(
            Question(row.text("question_id"), "m3", row.text("question"), _before(row, recorded), ()),
            reference=row.text("answer"),
        )
        for row in (one.named("question_id") for one in listed)
    ]
    return _on_this(choices, path, recorded)


def mmlifelong(path: Path, recorded: Recorded) -> list[Choice]:
    """Return MM-Lifelong's questions on the stream. Raises RefusedError, naming line and field."""
    rows = [row.named("index") for row in listed_rows(path)]
    videos = {row.place: _videos(row) for row in rows}
    fields = ("index", "question_type", "question", "answer")
    moments = _played
    if any(recorded.stream in one for one in videos.values()):
        rows, moments = [row for row in rows if set(videos[row.place]) == {recorded.stream}], _own
    choices = [_in_words(row, fields, recorded, moments(row, recorded)) for row in rows]
    return _on_this([replace(one, points=True) for one in choices], path, recorded)


def _in_words(row: Row, fields: tuple[str, str, str, str], recorded: Recorded, moments: tuple[Span, ...]) -> Choice:
    name, kind, text, reference = (row.text(one) for one in fields)
    return Choice(Question(name, kind, text, recorded.end_us, moments), reference=reference)


def _on_this(choices: list[Choice], path: Path, recorded: Recorded) -> list[Choice]:
    if not choices:
        raise RefusedError(
            f"{path} asks nothing of a video {recorded.stream!r}; the stream is to be named as one of its"
        )
    once_each([one.asked.name for one in choices], path)
    return choices


def _after(row: Row, recorded: Recorded) -> tuple[Span, ...]:
    return tuple((recorded.after(start), recorded.after(end)) for start, end in row.pairs("T"))


def _before(row: Row, recorded: Recorded) -> int:
    clip = row.fields.get("before_clip")
    if clip is None:
        return recorded.end_us
    if isinstance(clip, bool) or not isinstance(clip, int) or not 0 <= clip < SECONDS_MOST / _M3_CLIP_S:
        raise row.refused("before_clip", clip, "the number of a clip, counted from 0")
    return recorded.after(clip * _M3_CLIP_S)


def _videos(row: Row) -> list[str]:
    """Return the videos that a question's clues lie in; none for the day, whose clues are bare pairs."""
    return [one.text("video_id") for one in _clues(row)]


def _clues(row: Row) -> list[Row]:
    name = next((one for one in _CLUES if row.fields.get(one) is not None), _CLUES[0])
    listed = row.fields.get(name)
    bare = isinstance(listed, list) and all(isinstance(one, list) for one in listed)
    return [] if bare else row.rows(name)


def _own(row: Row, recorded: Recorded) -> tuple[Span, ...]:
    pairs = [pair for one in _clues(row) for pair in one.pairs("intervals")]
    return tuple((recorded.after(start), recorded.after(end)) for start, end in pairs)


def _played(row: Row, recorded: Recorded) -> tuple[Span, ...]:
    return tuple((recorded.played(start), recorded.played(end)) for start, end in row.pairs("total_intervals"))
