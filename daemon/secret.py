"""Secrets that the settings name: in themselves, or better in a file of their own."""

from pathlib import Path

from biographer.daemon.settings import Settings
from biographer.state.errors import RefusedError


def secret(value: str, file: str, setting: str) -> str:
    """Return a secret, that of the file where one is named. Raises RefusedError, which names the setting."""
    if not file:
        return value
    try:
        return Path(file).read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError(f"{setting} = {file!r} can't be read: {error}; name a readable file") from error


def client_token(settings: Settings) -> str | None:
    """Return the token that commands bear, None for none. Raises RefusedError for an unreadable file."""
    return secret(settings.client.token, settings.client.token_file, "client.token_file") or None
