from itertools import pairwise

import av
import numpy as np
import pytest
from videos import audio_only, number_of, numbered, packets, video

from biographer.state.errors import RefusedError
from biographer.streams import recoded
from biographer.streams.decoder import Decoder
from biographer.streams.segmenter import Segmenter

SECOND = 1_000_000
OPEN_GROUPS = {"x264-params": "open-gop=1:bframes=3:b-pyramid=normal:scenecut=0"}


@pytest.fixture
def recording(tmp_path):
    def recording(content, name="recording.mp4"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return recording


def cut(path, seconds=1.0):
    """Return the segments after checking what must hold of any: contiguous, numbered, each whole by itself."""
    segmenter = Segmenter(seconds)
    segments = list(segmenter.segments(path))
    assert [segment.index for segment in segments] == list(range(len(segments)))
    assert {segment.count for segment in segments} == {len(segments)}
    spans = tuple((segment.offset_us, segment.offset_us + segment.duration_us) for segment in segments)
    assert spans == segmenter.spans(path)
    assert all(end == start for (_, end), (start, _) in pairwise(spans))
    return segments


def frames(segment, rate=30):
    """Return (time in the recording, number) of what each clip shows by itself."""
    decoder = Decoder(rate)
    return [
        (frame.at_us, number_of(frame.pixels()))
        for frame in decoder.frames(segment.video, segment.offset_us, segment.duration_us)
    ]


def test_packets_are_copied_where_key_frames_allow(recording):
    content = video(96, gop=15)
    segments = cut(recording(content))
    assert [(s.offset_us, s.duration_us) for s in segments] == [
        (0, SECOND),
        (SECOND, SECOND),
        (2 * SECOND, 1_200_000),
    ]
    assert sum(packets(segment.video) for segment in segments) == packets(content) == 96
    assert [number for segment in segments for _, number in frames(segment)] == list(range(96))
    assert all(abs(at - n * SECOND / 30) < 1000 for segment in segments for at, n in frames(segment))


@pytest.mark.parametrize(
    ("codec", "container", "head"),
    [
        ("libx264", "mp4", b"ftyp"),
        ("libx264", "matroska", b"ftyp"),
        ("libx264", "mpegts", b"ftyp"),
        ("libx265", "mp4", b"ftyp"),
        ("mpeg4", "mp4", b"ftyp"),
        ("libvpx", "webm", b"\x1a\x45\xdf\xa3"),
        ("mjpeg", "matroska", b"\x1a\x45\xdf\xa3"),
    ],
)
def test_any_container_is_cut_without_loss(recording, codec, container, head):
    options = {"x265-params": "log-level=none:open-gop=0"} if codec == "libx265" else {}
    segments = cut(recording(video(90, gop=10, codec=codec, container=container, options=options)))
    assert all(head in segment.video[:8] for segment in segments)
    assert len(segments) == 3
    assert [number for segment in segments for _, number in frames(segment)] == list(range(90))


def test_open_groups_lose_at_most_the_frames_ahead_of_each_cut(recording):
    segments = cut(recording(video(120, gop=15, options=OPEN_GROUPS)))
    seen = [number for segment in segments for _, number in frames(segment)]
    assert seen == sorted(set(seen))
    assert 120 - 3 * (len(segments) - 1) <= len(seen) <= 120
    assert all(abs(at - n * SECOND / 30) < 1000 for segment in segments for at, n in frames(segment))


def test_too_few_key_frames_mean_encoding_again(recording):
    segments = cut(recording(video(96, gop=1000)))
    assert [(s.offset_us, s.duration_us) for s in segments] == [(0, SECOND), (SECOND, SECOND), (2 * SECOND, 1_200_000)]
    assert [number for segment in segments for _, number in frames(segment)] == list(range(96))
    assert all(abs(at - n * SECOND / 30) < 1000 for segment in segments for at, n in frames(segment))


def test_without_x264_it_is_mpeg4(recording, monkeypatch):
    monkeypatch.setattr(recoded, "encoder", lambda: "mpeg4")
    segments = cut(recording(video(60, gop=1000)))
    assert [number for segment in segments for _, number in frames(segment)] == list(range(60))


def test_this_pyav_can_encode():
    assert recoded.encoder() in {"libx264", "mpeg4"}


@pytest.mark.parametrize("gop", [15, 1000])
@pytest.mark.parametrize(("rotation", "hflip"), [(90, False), (180, False), (0, True)])
def test_the_turn_of_the_camera_survives_the_cut(recording, gop, rotation, hflip):
    number = 0b1010_0011_0001
    stored = np.rot90(numbered(number), -rotation // 90)
    stored = stored[:, ::-1] if hflip else stored
    segments = cut(recording(video([stored] * 60, gop=gop, rotation=rotation, hflip=hflip)))
    assert len(segments) == 2
    assert {seen for segment in segments for _, seen in frames(segment)} == {number}


def test_sound_is_copied_to_the_clip_that_it_belongs_to(recording):
    segments = cut(recording(video(90, gop=15, audio_s=3.0)))
    assert len(segments) == 3
    for segment in segments:
        with av.open(recording(segment.video, "clip.mp4")) as container:
            sound = [
                float(packet.pts * packet.time_base) for packet in container.demux(audio=0) if packet.pts is not None
            ]
            assert 14 <= len(sound) <= 18  # 1 s of 16 kHz in packets of 1024
            assert -0.1 <= min(sound) <= 0.1
            assert 0.85 <= max(sound) <= 1.0


def test_uneven_times_are_kept(recording):
    times = [0, 100, 900, 1000, 1050, 2500, 2600, 3900, 4000]
    for gop in (1, 1000):
        segments = cut(recording(video(9, times_ms=times, gop=gop), f"{gop}.mp4"))
        seen = [(round(at / 1000), number) for segment in segments for at, number in frames(segment, rate=100)]
        assert seen == list(zip(times, range(9), strict=True))


def test_time_counts_from_the_first_picture(recording):
    content = video(5, times_ms=[70_000 + 500 * k for k in range(5)], gop=1, container="matroska")
    segments = cut(recording(content, "late.mkv"))
    assert [at for segment in segments for at, _ in frames(segment)] == [500_000 * k for k in range(5)]


def test_a_short_rest_stays_with_the_clip_before(recording):
    assert len(cut(recording(video(62, gop=5)))) == 2
    assert len(cut(recording(video(62, gop=1000), "long.mp4"))) == 2
    assert len(cut(recording(video(68, gop=5)))) == 3


@pytest.mark.parametrize("count", [1, 2])
def test_a_picture_or_two_make_one_clip(recording, count):
    """amietn/vcsi#9."""
    (segment,) = cut(recording(video(count)))
    assert segment.duration_us >= 1
    assert [number for _, number in frames(segment)] == list(range(count))


def test_clips_come_while_the_recording_is_read(recording):
    segments = Segmenter(1).segments(recording(video(300, gop=15)))
    first = next(segments)
    assert (first.index, first.count) == (0, 10)
    segments.close()


def test_what_cannot_be_cut_is_refused_by_name(recording, tmp_path):
    for content, reason in (
        (b"", "cannot be read as a video"),
        (b"no video at all" * 100, "cannot be read as a video"),
        (audio_only(), "no pictures"),
        (video(30)[:500], "cannot be read as a video"),
        (b"#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:1/x.ts\n", "cannot be read as a video"),
    ):
        with pytest.raises(RefusedError, match=rf"odd\.mp4.*{reason}"):
            list(Segmenter().segments(recording(content, "odd.mp4")))
    for path in (tmp_path / "absent.mp4", tmp_path):
        with pytest.raises(RefusedError, match="is no file"):
            Segmenter().spans(path)
    for seconds in (0, -1, float("nan"), 4000):
        with pytest.raises(RefusedError, match="clip_seconds"):
            Segmenter(seconds)


@pytest.mark.data
@pytest.mark.parametrize(("name", "seconds", "clips"), [("kitchen", 30, 2), ("boats", 4, 3)])
def test_real_recordings_are_cut_without_loss(shared_data, name, seconds, clips):
    path = shared_data(f"videoagent_tracks/{name}/video.mp4")
    segments = cut(path, seconds)
    assert len(segments) == clips
    whole = sum(1 for _ in Decoder(120).frames(path, 0, 60 * SECOND))
    parts = sum(len(frames(segment, 120)) for segment in segments)
    assert whole - 3 * (clips - 1) <= parts <= whole
