import numpy as np
from videos import number_of, numbered

from biographer.state.frame import Frame
from biographer.streams.array_frame import ArrayFrame


def test_array_frame_is_a_frame():
    frame: Frame = ArrayFrame(7, numbered(5, 64, 48))
    assert (frame.at_us, frame.width, frame.height) == (7, 64, 48)
    assert frame.pixels() is frame.pixels()
    assert frame.resized(64, 48) is frame.pixels()
    assert frame.resized(30, 90).shape == (90, 30, 3)
    assert frame.resized(30, 90).dtype == np.uint8
    assert number_of(frame.resized(30, 90)) == 5
