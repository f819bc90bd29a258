"""`biographer token`: what it writes is hashed, private, whole at any time, and obeyed at once."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

from biographer.daemon.tokens import TokenBook
from biographer.ops.cli import main
from biographer.state.errors import FatalError, RefusedError


@pytest.fixture
def run(tmp_path):
    def invoke(*arguments, code=0):
        result = CliRunner().invoke(main, ["token", *arguments, "--state", str(tmp_path)])
        assert result.exit_code == code, result.output
        return result

    return invoke


def test_created_listed_revoked(run, tmp_path):
    secret = run("create", "phone", "--role", "write", "--stream", "a").stdout.strip()
    book = TokenBook(tmp_path)
    token = book.find(secret, 0)
    assert (token.name, token.roles, token.streams) == ("phone", ("write",), ("a",))
    (row,) = json.loads(run("list", "--json").stdout)["tokens"]
    assert (row["id"], row["roles"]) == (token.id, ["write"])
    run("revoke", token.id)
    assert book.find(secret, 0) is None
    assert "unknown" in run("revoke", token.id, code=2).output


def test_the_secret_is_not_in_the_file_and_the_file_is_private(run, tmp_path):
    secret = run("create", "me").stdout.strip()
    file = tmp_path / "access.json"
    assert secret not in file.read_text()
    assert len(secret) > 64
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_token_ends_when_it_said(tmp_path):
    book = TokenBook(tmp_path)
    _, secret = book.create("t", ("read",), ("*",), 0, bytes, expires_us=1_000_000)
    assert book.find(secret, 999_999)
    assert book.find(secret, 1_000_000) is None


def test_many_at_once_lose_none(tmp_path):
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(
                lambda n: TokenBook(tmp_path).create(f"t{n}", ("read",), ("*",), 0, lambda c: bytes([n] * c)), range(40)
            )
        )
    assert {one.name for one in TokenBook(tmp_path).tokens()} == {f"t{n}" for n in range(40)}


@pytest.mark.parametrize("content", ["", "{", '{"tokens": 3}', '{"tokens": [{"id": "x"}]}', '{"tokens": null}'])
def test_a_damaged_book_is_never_an_empty_one(tmp_path, content):
    (tmp_path / "access.json").write_text(content)
    with pytest.raises(FatalError, match="mended"):
        TokenBook(tmp_path).tokens()


def test_a_token_that_opens_nothing_is_refused(tmp_path):
    with pytest.raises(RefusedError, match="nothing"):
        TokenBook(tmp_path).create("t", (), ("*",), 0, bytes)
