import pytest

from biographer.state.errors import RefusedError
from biographer.state.line import Line, LineKind
from biographer.streams.lines import assigned, read_lines

START = 1_777_620_600_000_000
SECOND = 1_000_000


@pytest.fixture
def read(tmp_path):
    def read(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_lines(path, START)

    return read


SRT = """1
00:00:01,000 --> 00:00:02,500
<v Bob>Good <i>morning</i>.
It is late.

2
00:01:00.000 --> 00:01:01.000 X1:10 X2:20
{\\an8}早上好
"""


def test_srt_counts_from_the_start(read):
    assert read("a.srt", SRT) == (
        Line(START + SECOND, START + 2_500_000, LineKind.SPEECH, "Good morning.\nIt is late.", "Bob"),
        Line(START + 60 * SECOND, START + 61 * SECOND, LineKind.SPEECH, "早上好"),
    )


def test_srt_may_have_a_byte_order_mark_other_ends_of_rows_and_no_numbers(read):
    bare = SRT.replace("1\n00:00", "00:00", 1).replace("\n", "\r\n")
    assert read("a.SRT", b"\xef\xbb\xbf" + bare.encode()) == read("a.srt", SRT)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("1\n00:00:01,000 -> 00:00:02,000\nhi\n", "row 2: '00:00:01,000 -> 00:00:02,000' is no span"),
        ("1\n00:00:01,000 --> 00:00:02,000\nhi\n\n2\n\n", "row 6: '' is no span"),
        ("\n\n00:00:61,000 --> 00:00:62,000\nhi\n", "row 3: "),
        ("1\n00:00:02,000 --> 00:00:01,000\nhi\n", "row 2: .* ends before it starts"),
        ("1\n00:00:01,000 --> 00:00:02,000\n" + "a" * 20_001, "row 2: text has 20001 characters"),
        (b"1\n00:00:01,000 --> 00:00:02,000\ncaf\xe9\n", r"row 3: byte b'\\xe9' is not UTF-8"),
        ("1\n00:00:01,000 --> 00:00:02,000\nhi\n".encode("utf-16"), "row 1: .* is not UTF-8"),
    ],
)
def test_srt_is_refused_with_the_row(read, content, reason):
    with pytest.raises(RefusedError, match=rf"a\.srt, {reason}"):
        read("a.srt", content)


def test_json_lines_take_seconds_or_times_with_an_offset(read):
    content = """{"start": 1.5, "end": 3, "text": "Good morning.", "speaker": "Bob", "confidence": 0.5}

{"start": "2026-05-01T09:30:00+02:00", "end": "2026-05-01T07:30:01.25Z", "text": "I wake.", "kind": "narration"}
{"start": 9, "text": "a room", "kind": "caption"}
"""
    assert read("a.jsonl", content) == (
        Line(START, START + 1_250_000, LineKind.NARRATION, "I wake."),
        Line(START + 1_500_000, START + 3 * SECOND, LineKind.SPEECH, "Good morning.", "Bob"),
        Line(START + 9 * SECOND, START + 9 * SECOND, LineKind.CAPTION, "a room"),
    )


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"start": "2026-05-01T09:30:00", "text": "a"}', "has no offset"),
        ('{"start": "0001-01-01T00:00:00Z", "text": "a"}', "before 1970"),
        ('{"start": "soon", "text": "a"}', "not RFC 3339"),
        ('{"start": -1, "text": "a"}', "no number of seconds"),
        ('{"start": 1777620600000000, "text": "a"}', "no number of seconds"),
        ('{"start": NaN, "text": "a"}', "JSON is malformed"),
        ('{"start": true, "text": "a"}', "Expected `float | str`, got `bool`"),
        ('{"start": 2, "end": 1, "text": "a"}', "end 1.0 is before start 2.0"),
        ('{"start": 1}', "missing required field `text`"),
        ('{"start": 1, "text": "a", "kind": "song"}', "Invalid enum value 'song'"),
        ('{"start": 1, "text": "a", "speaker": ""}', "speaker"),
        ("[1, 2]", "Expected `object`"),
        ("{", "truncated"),
    ],
)
def test_json_lines_are_refused_with_the_row(read, row, reason):
    """getzep/graphiti#920: naive, impossible and epoch times are refused with the reason, never guessed."""
    with pytest.raises(RefusedError, match=rf"a\.jsonl, row 2: .*{reason}"):
        read("a.jsonl", '{"start": 0, "text": "a"}\n' + row)


def test_other_files_are_refused_by_name(read, tmp_path):
    with pytest.raises(RefusedError, match=r"\.srt or \.jsonl, not \.txt"):
        read("a.txt", "hello")
    with pytest.raises(RefusedError, match=r"absent\.srt: No such file"):
        read_lines(tmp_path / "absent.srt", START)


def test_empty_files_have_no_lines(read):
    assert read("a.srt", "") == read("a.jsonl", "\n\n") == ()


def line(start, end=None):
    return Line(start, start + 5 if end is None else end, LineKind.SPEECH, str(start))


def test_a_line_belongs_to_the_clip_that_holds_its_start():
    given = [line(0), line(29, 35), line(30), line(59), line(60)]
    result = assigned(given, [(0, 30), (30, 60)])
    assert result.by_clip == ((given[0], given[1]), (given[2], given[3], given[4]))
    assert result.outside == ()


def test_lines_that_no_clip_holds_are_handed_back():
    given = [line(-1), line(5), line(25), line(61)]
    result = assigned(given, [(0, 20), (30, 60)])
    assert result.by_clip == ((given[1],), ())
    assert result.outside == (given[0], given[2], given[3])
    assert assigned(given, []).outside == tuple(given)
