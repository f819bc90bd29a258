"""A picture that somebody sends is read, or refused in words that say what to send."""

import io

import pytest
from PIL import Image

from biographer.models.picture import opened_picture
from biographer.state.errors import RefusedError


def test_what_is_no_picture_is_refused_without_our_own_insides():
    with pytest.raises(RefusedError, match=r"no JPEG, PNG or WebP; send one") as refused:
        opened_picture(b"[kafka]\n")
    assert "BytesIO" not in str(refused.value)


def test_a_cut_picture_is_refused():
    whole = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(whole, "PNG")
    with pytest.raises(RefusedError, match="cannot be read"):
        opened_picture(whole.getvalue()[:60])
