"""A client of the language server that stands still between tries: pauses are noted, not slept."""

from contextlib import asynccontextmanager

from biographer.bench.language_server import LanguageServer
from biographer.models.language_client import LanguageClient
from biographer.models.language_endpoint import LanguageEndpoint


class Pauses:
    def __init__(self):
        self.seconds = []
        self.now = 1000.0

    def clock(self):
        return self.now

    async def __call__(self, seconds):
        self.seconds.append(seconds)
        self.now += seconds


@asynccontextmanager
async def language(script=None, *, server=None, **told):
    """Yield a server, a client of it, and the pauses it made."""
    server = server or (LanguageServer(script) if script else LanguageServer())
    pauses = Pauses()
    async with server:
        endpoint = LanguageEndpoint(**{"url": server.url, **told})
        client = LanguageClient(
            endpoint, clock=pauses.clock, random=lambda: 1.0, wall=lambda: 1_000_000.0, pause=pauses
        )
        try:
            yield server, client, pauses
        finally:
            await client.close()
