"""What the demo's camera looks at: pictures composed from photographs that scikit-image's wheel carries.

Only real photographs, placed and recoloured; how the camera moves over them is `camera`'s, and in which order is
`recording`'s.
"""

from enum import StrEnum
from importlib import import_module
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from biographer.state.errors import RefusedError

MARGIN = 120
"""Pixels added around a desk, so that a rolling or wandering view does not see its edge."""
_MIRRORED = 76
"""How many of them are a mirror's, left and right: the saucer begins at 78."""
_SAUCER = (279.0, 224.0, 213.0, 172.0)
_CUP = (291.0, 165.0, 122.0, 152.0)
_COFFEE = (287.0, 137.0, 90.0, 54.0)
"""Ellipses in the coffee photograph: centre and half axes in pixels."""
_RED_DEGREES = 16
_GREEN_SHIFT_DEGREES = 90


class Scene(StrEnum):
    """The places of the recording."""

    CUP = "cup"
    OTHER_CUP = "other cup"
    BOTH_CUPS = "both cups"
    CAT = "cat"
    ASTRONAUT = "astronaut"
    DESK = "desk"


def picture(scene: Scene) -> Image.Image:
    """Return the whole RGB picture of a scene; raises RefusedError where scikit-image is not installed."""
    match scene:
        case Scene.CUP:
            return _widened(_photograph("coffee"))
        case Scene.OTHER_CUP:
            return _widened(_green(_photograph("coffee")))
        case Scene.BOTH_CUPS:
            return _widened(_both(_photograph("coffee")))
        case Scene.CAT:
            return _hung(_photograph("chelsea"), (206, 198, 182))
        case Scene.ASTRONAUT:
            return _hung(_photograph("astronaut"), (178, 190, 196))
        case Scene.DESK:
            wood = np.asarray(_photograph("coffee").crop((480, 200, 600, 400)))
            return Image.fromarray(np.pad(wood, ((200, 200), (240, 240), (0, 0)), mode="symmetric"))


def _photograph(name: str) -> Image.Image:
    """Open a photograph inside the wheel; `skimage.data` itself would import scipy, and may ask the network."""
    try:
        import_module("skimage")
    except ImportError as error:
        raise RefusedError(
            "the demo's photographs come with scikit-image, which is missing: pip install 'biographer[demo]'"
        ) from error
    with files("skimage").joinpath("data", f"{name}.png").open("rb") as file:
        return Image.open(file).convert("RGB")


def _widened(image: Image.Image) -> Image.Image:
    """Add a margin: mirrored at the sides, drawn out above and below, where a mirror would show the cup's rim twice."""
    wide = np.pad(np.asarray(image), ((0, 0), (_MIRRORED, _MIRRORED), (0, 0)), mode="reflect")
    rest = MARGIN - _MIRRORED
    return Image.fromarray(np.pad(wide, ((MARGIN, MARGIN), (rest, rest), (0, 0)), mode="edge"))


def _both(image: Image.Image) -> Image.Image:
    """Stack the two cups, each with its own surrounding: side by side the default detector loses both."""
    stacked = Image.new("RGB", (image.width, 2 * image.height))
    stacked.paste(image, (0, 0))
    stacked.paste(_green(image), (0, image.height))
    return stacked


def _hung(image: Image.Image, wall: tuple[int, int, int]) -> Image.Image:
    """Hang a photograph on a wall: a subject that fills the frame would be dropped as the frame itself."""
    side = max(image.size) + 2 * 150
    hung = Image.new("RGB", (side, side), wall)
    hung.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    return hung


def _green(image: Image.Image) -> Image.Image:
    """Return the photograph with a green cup and saucer and another drink; the wood, the rim and the spoon stay."""
    channels = np.array(image.convert("HSV"))
    shape = channels.shape[:2]
    china = (_inside(shape, _SAUCER) | _inside(shape, _CUP)) & _red(channels)
    drink = _inside(shape, _COFFEE) & (channels[..., 1] > 60)
    channels[..., 0] += np.uint8(round(_GREEN_SHIFT_DEGREES * 256 / 360))
    green = Image.fromarray(channels, "HSV").convert("RGB")
    return Image.composite(green, image, Image.fromarray(china | drink))


def _red(channels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    degrees = channels[..., 0].astype(np.float32) * 360 / 256
    near: NDArray[np.bool_] = np.minimum(degrees, 360 - degrees) < _RED_DEGREES
    return near & (channels[..., 1] > 100)


def _inside(shape: tuple[int, ...], ellipse: tuple[float, float, float, float]) -> NDArray[np.bool_]:
    rows, columns = np.indices(shape, dtype=np.float32)
    x, y, half_x, half_y = ellipse
    within: NDArray[np.bool_] = ((columns - x) / half_x) ** 2 + ((rows - y) / half_y) ** 2 < 1
    return within
