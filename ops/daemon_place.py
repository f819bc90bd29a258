"""Which daemon the commands ask, and as whom."""

from biographer.daemon.client_async import AsyncClient
from biographer.daemon.secret import client_token
from biographer.daemon.settings import Settings
from biographer.state.errors import RefusedError


def daemon_url(settings: Settings) -> str:
    """Return where the daemon of these settings is asked."""
    if settings.client.url:
        return settings.client.url
    host, port = settings.http.host, settings.http.port
    if not port:
        raise RefusedError("http.port is 0, so any free one: name the daemon with --url, or set client.url")
    return f"http://{_local(host)}:{port}"


def daemon_client(settings: Settings, url: str) -> AsyncClient:
    """Return a client of the daemon at an address, as whom the settings say."""
    return AsyncClient(url, client_token(settings), timeout_s=settings.client.timeout_s)


def _local(host: str) -> str:
    """Return the address to ask of a daemon that listens at one."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - asked, not listened at
    return f"[{host}]" if ":" in host else host
