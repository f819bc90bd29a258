import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import psutil
import pytest
from videos import audio_only, number_of, numbered, packets, video

from biographer.state.errors import BadClipError, RefusedError
from biographer.streams.decoder import Decoder

START = 1_700_000_000_000_000
SECOND = 1_000_000
NOISE = [np.random.default_rng(seed).integers(0, 255, (96, 128, 3), dtype=np.uint8) for seed in range(60)]
"""Pictures that do not compress: a file of them is long enough to be cut and scratched at will."""
OPEN_GROUPS = {"x264-params": "open-gop=1:bframes=3:b-pyramid=normal:scenecut=0"}


def seen(source, rate=5.0, duration_us=2 * SECOND, start_us=0, **settings):
    return [
        (frame.at_us, number_of(frame.pixels()))
        for frame in Decoder(rate, **settings).frames(source, start_us, duration_us)
    ]


def test_frames_come_at_the_rate_and_are_timed_by_presentation():
    frames = seen(video(60), start_us=START)
    assert frames == [(START + k * SECOND // 5, 6 * k) for k in range(10)]


@pytest.mark.parametrize("rate", [30, 5, 1, 0.5])
@pytest.mark.parametrize(
    ("codec", "container", "options"),
    [
        ("libx264", "mp4", {}),
        ("libx264", "mp4", OPEN_GROUPS),
        ("libx264", "matroska", OPEN_GROUPS),
        ("libx265", "mp4", {"x265-params": "log-level=none"}),
        ("mpeg4", "mp4", {}),
        ("mjpeg", "matroska", {}),
        ("libvpx", "webm", {}),
        ("libvpx-vp9", "webm", {}),
    ],
)
def test_leaving_packets_out_never_changes_which_frames_are_seen(codec, container, options, rate):
    source = video(96, codec=codec, container=container, options=options)
    frames = seen(source, rate, duration_us=4 * SECOND)
    assert [number for _, number in frames] == list(range(0, 96, round(30 / rate)))
    assert all(abs(at_us - number * SECOND / 30) < 1_000 for at_us, number in frames)


def test_pixels_are_exactly_those_of_a_plain_decoding():
    source = video(NOISE, options=OPEN_GROUPS)
    every = {frame.at_us: frame.pixels() for frame in Decoder(30).frames(source, 0, 2 * SECOND)}
    some = list(Decoder(5).frames(source, 0, 2 * SECOND))
    assert len(every) == 60
    assert len(some) == 10
    assert all(np.array_equal(frame.pixels(), every[frame.at_us]) for frame in some)


def test_uneven_times_take_the_first_frame_at_or_after_each_tick_once():
    source = video(5, times_ms=[0, 150, 420, 430, 1900])
    assert seen(source) == [(0, 0), (420_000, 2), (1_900_000, 4)]


def test_time_counts_from_the_first_frame_wherever_the_container_starts():
    source = video(4, times_ms=[7_000, 7_200, 7_400, 7_600], container="matroska")
    assert [at_us for at_us, _ in seen(source, duration_us=800_000)] == [0, 200_000, 400_000, 600_000]


def test_a_camera_that_stalls_is_not_taken_for_a_cut():
    source = video(3, times_ms=[0, 50, 100])
    assert len(seen(source, rate=20, duration_us=30 * SECOND)) == 3


def test_no_frame_lies_outside_its_clip():
    assert [at_us for at_us, _ in seen(video(90), duration_us=1_000_000)] == [k * 200_000 for k in range(6)]


def test_a_file_and_its_bytes_are_the_same(tmp_path):
    path = tmp_path / "concat:odd % name.mp4"
    path.write_bytes(video(30))
    assert seen(path) == seen(path.read_bytes())


def test_size_is_bounded_and_states_itself_truly():
    frame = next(Decoder(side_max=100).frames(video(1, size=(320, 240)), 0, SECOND))
    assert (frame.width, frame.height) == (100, 75)
    assert frame.pixels().shape == (75, 100, 3)
    assert number_of(frame.resized(416, 416)) == 0


@pytest.mark.parametrize("source", [video(1), video(1, container="matroska"), video(1, times_ms=[0])])
def test_one_frame_is_enough_whatever_its_duration(source):
    """amietn/vcsi#9."""
    assert seen(source, duration_us=30 * SECOND) == [(0, 0)]
    assert seen(source, duration_us=1) == [(0, 0)]


@pytest.mark.parametrize("container", ["mp4", "matroska"])
def test_audio_alone_has_no_frames(container):
    """amietn/vcsi#9."""
    assert seen(audio_only(container=container)) == []


def test_sound_beside_pictures_is_passed_over():
    assert len(seen(video(60, audio_s=2.0))) == 10


@pytest.mark.parametrize("container", ["mp4", "matroska"])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9])
def test_a_file_cut_in_the_middle_is_refused(container, share):
    """blakeblackshear/frigate#14917."""
    source = video(NOISE, container=container)
    with pytest.raises(BadClipError, match="cut"):
        seen(source[: int(len(source) * share)])


def test_a_file_written_live_is_refused_where_it_ends_long_before_its_message():
    """blakeblackshear/frigate#14917: neither length nor index to go by."""
    fragments = video(NOISE, layout={"movflags": "frag_keyframe+empty_moov"})
    boundary = fragments.find(b"moof", len(fragments) // 3) - 4
    live = video(NOISE, container="matroska", layout={"live": "1"})
    for source in (fragments[:boundary], live[: len(live) // 3]):
        with pytest.raises(BadClipError, match=r"it holds 0\.. s, its message says 2\.0 s"):
            seen(source)
    assert len(seen(fragments)) == len(seen(live)) == 10


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"", "empty"),
        (b"a text file named .mp4\n" * 50, "neither MP4 nor Matroska"),
        (bytes(5000), "neither MP4 nor Matroska"),
        (video(5)[:30], "no index"),
        (b"#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:1/x.ts\n", "neither MP4 nor Matroska"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "neither MP4 nor Matroska"),
        (video(5, container="avi", codec="mpeg4"), "neither MP4 nor Matroska"),
        (video(5, container="mpegts"), "neither MP4 nor Matroska"),
        (video(5).replace(b"avc1", b"zzzz"), "codec of the video is unknown"),
    ],
)
def test_what_is_no_clip_is_refused_with_the_reason(source, reason, tmp_path):
    """blakeblackshear/frigate#14917."""
    path = tmp_path / "clip.mp4"
    path.write_bytes(source)
    for form in (source, path):
        with pytest.raises(BadClipError, match=reason):
            seen(form)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(BadClipError, match="cannot be read"):
        seen(tmp_path / "absent.mp4")


def scratched(source, share, seed):
    random = np.random.default_rng(seed)
    marred = np.frombuffer(source, dtype=np.uint8).copy()
    places = random.integers(int(len(source) * 0.02), int(len(source) * 0.95), max(1, int(len(source) * share)))
    marred[places] = random.integers(0, 255, len(places))
    return marred.tobytes()


def test_a_few_faulty_packets_are_survived_and_many_are_not():
    source = video(NOISE, container="mp4", gop=6)
    assert len(seen(scratched(source, 0.0002, 1))) >= 5
    with pytest.raises(BadClipError, match="packets of the video are faulty"):
        seen(scratched(source, 0.2, 1))


def test_random_damage_ends_in_frames_or_in_bad_clip():
    sources = [video(NOISE[:20]), video(NOISE[:20], container="matroska"), video(20, container="webm", codec="libvpx")]
    ends = set()
    for seed in range(60):
        marred = scratched(sources[seed % 3], 10.0 ** -(1 + seed % 4), seed)
        try:
            times = [at_us for at_us, _ in seen(marred, duration_us=SECOND)]
        except BadClipError:
            ends.add("refused")
        else:
            ends.add("seen")
            assert times == sorted(set(times))
    assert ends == {"refused", "seen"}


@pytest.mark.parametrize(("container", "codec"), [("mp4", "libx264"), ("matroska", "mjpeg")])
def test_a_frame_larger_than_allowed_is_refused_before_it_is_decoded(container, codec):
    source = video(10, size=(320, 240), container=container, codec=codec)
    assert len(seen(source, pixels_max=320 * 240 + 10_000, duration_us=SECOND)) == 2
    with pytest.raises(BadClipError, match=r"320x240, over 10000 pixels|2 of 2 packets of the video are faulty"):
        seen(source, pixels_max=100 * 100, duration_us=SECOND)


def test_decoding_has_a_time_limit():
    ticks = iter(range(10_000))
    with pytest.raises(BadClipError, match="decoding took over 20 s"):
        seen(video(60), rate=30, time_limit_s=20, clock=lambda: next(ticks))


def test_time_spent_on_the_frames_does_not_count():
    now = [0.0]
    frames = Decoder(time_limit_s=5, clock=lambda: now[0]).frames(video(60), 0, 2 * SECOND)
    count = 0
    for _ in frames:
        now[0] += 100
        count += 1
    assert count == 10


def test_settings_out_of_range_are_refused():
    for settings in ({"rate": 0}, {"rate": float("nan")}, {"rate": 1000}, {"side_max": 0}):
        with pytest.raises(RefusedError, match=next(iter(settings))):
            Decoder(**settings)


def test_one_decoder_serves_many_threads_at_once():
    decoder = Decoder()
    sources = [video([numbered(n + 10 * k) for k in range(60)]) for n in range(4)]

    def numbers(source):
        return [number_of(frame.pixels()) for frame in decoder.frames(source, 0, 2 * SECOND)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(numbers, sources * 3))
    assert found == [[n + 60 * k for k in range(10)] for n in range(4)] * 3


def test_a_frame_serves_many_threads_at_once():
    frame = next(Decoder().frames(video(NOISE[:1]), 0, SECOND))
    expected = {side: frame.resized(side, side) for side in (32, 64, 96)}
    wrong = []

    def look(side):
        wrong.extend(side for _ in range(50) if not np.array_equal(frame.resized(side, side), expected[side]))

    threads = [threading.Thread(target=look, args=(side,)) for side in expected for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def decode_badly(source):
    """Leave in the middle, fail in the middle, and fail at the start."""
    frames = Decoder(30).frames(source, 0, SECOND)
    next(frames)
    frames.close()
    for marred in (source[: len(source) // 2], scratched(source, 0.3, 1), b"no video at all"):
        with pytest.raises(BadClipError):
            list(Decoder().frames(marred, 0, SECOND))


def growth(work, times, warm_up):
    """Return descriptors and MiB that are held after `times` calls and were not before, a leak's share of the latter.

    What leaks does so in every quarter; what the allocator keeps of a heap that other tests left in pieces, in one.
    """
    process = psutil.Process()
    for _ in range(warm_up):
        work()
    gc.collect()
    files, readings = process.num_fds(), [process.memory_info().rss]
    for _ in range(4):
        for _ in range(times // 4):
            work()
        gc.collect()
        readings.append(process.memory_info().rss)
    return process.num_fds() - files, 4 * min(after - before for before, after in pairwise(readings)) / 2**20


def check_short_clips(tmp_path, times):
    path = tmp_path / "clip.mp4"
    path.write_bytes(video(30, audio_s=1.0))
    source = video(30, container="matroska")
    assert packets(source) == 30

    def work():
        assert len(seen(path, duration_us=SECOND)) == len(seen(source, duration_us=SECOND)) == 5

    files, megabytes = growth(work, times, warm_up=40)
    assert files == 0
    assert megabytes < 8


def check_failures(times):
    source = video(NOISE[:30])
    files, megabytes = growth(lambda: decode_badly(source), times, warm_up=20)
    assert files == 0
    assert megabytes < 8


def test_short_clips_leave_memory_and_files_flat(tmp_path):
    """insight-platform/Savant#1169, the decoder's part."""
    check_short_clips(tmp_path, 100)


def test_failures_half_way_leave_memory_and_files_flat():
    """PyAV-Org/PyAV#1117."""
    check_failures(60)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_thousand_short_clips_leave_memory_and_files_flat(tmp_path):
    """insight-platform/Savant#1169, the decoder's part."""
    check_short_clips(tmp_path, 2_000)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_failures_leave_memory_and_files_flat():
    """PyAV-Org/PyAV#1117."""
    check_failures(2_500)
