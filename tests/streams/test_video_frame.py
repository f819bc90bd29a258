import io

import av
import numpy as np
import pytest
from videos import video

from biographer.streams.decoder import Decoder

COLOUR = (200, 60, 30)
PLAIN = np.full((48, 64, 3), COLOUR, dtype=np.uint8)


def frame_of(source, **settings):
    return next(Decoder(**settings).frames(source, 0, 1_000_000))


def test_pixels_are_the_same_read_only_array_on_every_call():
    frame = frame_of(video([PLAIN]))
    assert frame.pixels() is frame.pixels()
    assert frame.resized(64, 48) is frame.pixels()
    with pytest.raises(ValueError, match="read-only"):
        frame.pixels()[0, 0] = 0


def test_pixels_outlive_the_container_and_the_decoder():
    frames = list(Decoder(30).frames(video([PLAIN] * 30), 0, 1_000_000))
    assert len(frames) == 30
    assert all(abs(int(frame.pixels()[20, 20, 0]) - COLOUR[0]) < 6 for frame in frames)


def test_resized_agrees_with_pixels():
    picture = np.linspace(0, 255, 192)[None, :, None].repeat(144, axis=0).repeat(3, axis=2).astype(np.uint8)
    frame = frame_of(video([picture]))
    half = frame.pixels().reshape(72, 2, 96, 2, 3).mean(axis=(1, 3))
    assert np.abs(frame.resized(96, 72).astype(float) - half).max() < 6


def test_grey_is_the_brightness_of_the_pixels():
    picture = np.linspace(0, 255, 192)[None, :, None].repeat(144, axis=0).repeat(3, axis=2).astype(np.uint8)
    frame = frame_of(video([picture]))
    grey = frame.grey(96, 72)
    assert grey.shape == (72, 96)
    assert np.abs(grey.astype(float) - frame.resized(96, 72)[..., 1]).max() < 6


@pytest.mark.parametrize(("space", "matrix"), [("ITU709", 1), ("ITU601", 6)])
@pytest.mark.parametrize("full_range", [False, True])
def test_colours_follow_what_the_video_says_of_them(space, matrix, full_range):
    file = io.BytesIO()
    value_range = 2 if full_range else 1
    with av.open(file, "w", format="mp4") as out:
        stream = out.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.codec_context.colorspace, stream.codec_context.color_range = matrix, value_range
        frame = av.VideoFrame.from_ndarray(PLAIN, format="rgb24").reformat(
            format="yuv420p", dst_colorspace=space, dst_color_range=value_range
        )
        frame.colorspace, frame.color_range = matrix, value_range
        out.mux(stream.encode(frame))
        out.mux(stream.encode())
    seen = frame_of(file.getvalue())
    for picture in (seen.pixels(), seen.resized(20, 20)):
        assert np.abs(picture[10, 10].astype(int) - COLOUR).max() <= 4


def test_a_side_is_bounded_but_never_lost():
    frame = frame_of(video([np.zeros((16, 640, 3), dtype=np.uint8)]), side_max=20)
    assert (frame.width, frame.height) == (20, 1)
    assert frame.pixels().shape == (1, 20, 3)
