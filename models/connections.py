"""Connections to one language endpoint, each for one request at a time.

Of requests that are cancelled, httpx's pool loses some together with their places: after hundreds of questions that
somebody hung up on, nothing was asked any more. So a connection whose request is given up is closed, with its pool.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from biographer.models.language_endpoint import LanguageEndpoint


class Connections:
    """To one endpoint, at most its `concurrency` at once; of one event loop. Close when done."""

    def __init__(self, endpoint: LanguageEndpoint) -> None:
        self._endpoint = endpoint
        # Plain HTTP spares itself the reading of authorities; whom to trust is read once.
        self._trusted = httpx.create_ssl_context() if endpoint.url.startswith("https:") else False
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._idle: list[httpx.AsyncClient] = []
        self._busy: set[httpx.AsyncClient] = set()
        self.is_closed = False

    @asynccontextmanager
    async def one(self) -> AsyncIterator[httpx.AsyncClient]:
        """Wait for a place, and yield a connection; it is not used again where that raises, or closes it."""
        async with self._slots:
            http = self._idle.pop() if self._idle else self._opened()
            self._busy.add(http)
            try:
                yield http
            except BaseException:
                await asyncio.shield(http.aclose())
                raise
            else:
                if not http.is_closed:
                    self._idle.append(http)
            finally:
                self._busy.discard(http)

    async def close(self) -> None:
        """Close all, those in use as well."""
        self.is_closed = True
        for http in [*self._idle, *self._busy]:
            await http.aclose()
        self._idle.clear()

    def _opened(self) -> httpx.AsyncClient:
        endpoint = self._endpoint
        return httpx.AsyncClient(
            base_url=endpoint.url.rstrip("/") + "/",
            headers={"authorization": f"Bearer {endpoint.key}"} if endpoint.key else {},
            timeout=httpx.Timeout(endpoint.answer_s, connect=endpoint.connect_s, pool=None),
            verify=self._trusted,
            trust_env=False,  # settings say where we ask; a proxy of the environment would see the recording
        )
