"""A picture that somebody gives as a query: bytes that may be anything, opened within bounds or refused."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from biographer.models.crops import limited
from biographer.state.errors import RefusedError

PICTURE_MAX_BYTES = 8 * 1024 * 1024
_MOST_PIXELS = 40_000_000
_SIDE = 448
"""As of the crops that it is compared with (GEB appendix A)."""


def opened_picture(content: bytes) -> NDArray[np.uint8]:
    """Return a JPEG, PNG or WebP upright as RGB pixels (h, w, 3), its longest side at most 448.

    Raises RefusedError for what is none of these, is damaged, or is too large.
    """
    if len(content) > PICTURE_MAX_BYTES:
        raise RefusedError(f"the image has {len(content)} bytes, over {PICTURE_MAX_BYTES}; send a smaller one")
    try:
        with Image.open(io.BytesIO(content), formats=("JPEG", "PNG", "WEBP")) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                raise RefusedError(f"the image has {picture.width}x{picture.height} pixels; send a smaller one")
            # Before it is turned: a camera's picture is decoded at a fraction of its size.
            picture.draft("RGB", (2 * _SIDE, 2 * _SIDE))
            return limited(np.asarray(ImageOps.exif_transpose(picture).convert("RGB")), _SIDE)
    except UnidentifiedImageError as error:
        raise RefusedError("the image is no JPEG, PNG or WebP; send one of these") from error
    except (Image.DecompressionBombError, OSError, ValueError, SyntaxError) as error:
        raise RefusedError(f"the image cannot be read: {error}; send another") from error
