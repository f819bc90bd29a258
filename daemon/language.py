"""Language models as the settings name them: what a question asks never waits for, nor fails with, what is written.

At one endpoint the roles of the question loop share connections, and so do all that write; the text embedder, for which
clips and questions wait, has its own. Each role has its own breaker.
"""

from collections.abc import Callable, Mapping
from functools import partial

from biographer.daemon.language_roles import ANSWERING, LanguageRole, Played, played
from biographer.daemon.language_section import Language
from biographer.models.breaker import Breaker
from biographer.models.chat_model import ChatModel
from biographer.models.embeddings import EmbeddingModel, none_stored
from biographer.models.language_client import LanguageClient
from biographer.models.language_endpoint import LanguageEndpoint
from biographer.models.spending import Spending
from biographer.models.transcriber import Transcriber
from biographer.state.errors import BiographerError, RefusedError


class LanguageModels:
    """All that are configured; of one event loop. Raises RefusedError as `played`. Close when done.

    `clock` returns seconds that only rise, `random` 0..1, `wall` seconds of UTC.
    """

    def __init__(
        self,
        section: Language,
        *,
        clock: Callable[[], float],
        random: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self.section = section
        self.played: Mapping[LanguageRole, Played] = {one.role: one for one in played(section)}
        self._shared: dict[tuple[LanguageEndpoint, str], LanguageClient] = {}
        self._clients: dict[LanguageRole, LanguageClient] = {}
        self._chats: dict[LanguageRole, ChatModel] = {}
        for role, one in self.played.items():
            place = (one.endpoint, _sharing(role))
            if place not in self._shared:
                self._shared[place] = LanguageClient(one.endpoint, clock=clock, random=random, wall=wall)
            self._clients[role] = self._shared[place].beside()

    @property
    def breakers(self) -> Mapping[LanguageRole, Breaker]:
        """Whether each role's requests are held back, for metrics and for who would ask."""
        return {role: client.breaker for role, client in self._clients.items()}

    def chat(self, role: LanguageRole) -> ChatModel | None:
        """Return the model that reads and writes in a role, the same each time; None where nobody does."""
        one = self.played.get(role)
        if one is not None and role not in self._chats:
            self._chats[role] = ChatModel(self._clients[role], one.model, self.section.extra)
        return self._chats.get(role)

    @property
    def spent(self) -> Mapping[LanguageRole, Spending]:
        """Tokens of each role so far, as the endpoints count them."""
        return {role: chat.spent for role, chat in self._chats.items()}

    def embedding(
        self, role: LanguageRole, stored: Callable[[str], frozenset[int]] | None = None
    ) -> EmbeddingModel | None:
        """Return the model that embeds in a role, None where nobody does; `stored` as for it, by a model's name."""
        one = self.played.get(role)
        if one is None:
            return None
        return EmbeddingModel(
            self._clients[role], one.model, none_stored if stored is None else partial(stored, one.model)
        )

    def transcriber(self) -> Transcriber | None:
        """Return the model that hears, None where nobody does."""
        one = self.played.get(LanguageRole.TRANSCRIBER)
        return None if one is None else Transcriber(self._clients[one.role], one.model, self.section.spoken)

    async def checked(self) -> dict[LanguageRole, str | BiographerError]:
        """Ask each endpoint what it serves; return by role what was said, or what stands against it."""
        served: dict[LanguageEndpoint, tuple[str, ...] | BiographerError] = {}
        for client in {client.endpoint: client for client in self._shared.values()}.values():
            try:
                served[client.endpoint] = await client.models()
            except BiographerError as error:
                served[client.endpoint] = error
        return {role: _said(one, served[one.endpoint]) for role, one in self.played.items()}

    async def close(self) -> None:
        """Close all connections."""
        for client in self._shared.values():
            await client.close()


def _sharing(role: LanguageRole) -> str:
    """Return by what name those go that wait for each other's requests."""
    if role in ANSWERING:
        return "questions"
    return "texts" if role is LanguageRole.TEXT_EMBEDDER else "writing"


def _said(one: Played, served: tuple[str, ...] | BiographerError) -> str | BiographerError:
    if isinstance(served, BiographerError):
        return served
    if one.model not in served:
        names = ", ".join(served)[:300] or "none"
        return RefusedError(f"{one.endpoint.url} does not serve {one.model!r}; it serves: {names}")
    return f"{one.model} at {one.endpoint.url}"
