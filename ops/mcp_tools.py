"""What a language model's own client may do with a memory, as MCP tools: each asks the daemon, as whoever calls.

The daemon decides who may see what; nothing is remembered here between two calls.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import islice
from typing import Annotated, Any, Literal

import msgspec
from mcp.server.mcpserver import Context, Image
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from biographer.daemon.client_async import AsyncClient
from biographer.state.chain_listing import MOST_LINKS
from biographer.state.errors import BiographerError

Opens = Callable[[Mapping[str, str] | None], AbstractAsyncContextManager[AsyncClient]]
"""From a call's headers, None where it came without any, to a client as whoever calls."""

Json = dict[str, Any]
Stream = Annotated[str, Field(description="Name of the stream; empty where there is only one.")]
Moment = Annotated[str | None, Field(description="RFC 3339 with an offset, such as 2026-05-01T09:00:00Z.")]
Kind = Literal["talks_to", "interacts_with", "uses", "mentions"]
Limit = Annotated[int, Field(ge=1, le=100)]


class McpTools:
    """The tools, each a method; its docstring is what the model reads."""

    def __init__(self, opens: Opens) -> None:
        self._opens = opens

    async def streams(self, ctx: Context, as_of: Moment = None) -> Json:
        """List the streams (wearers or cameras) that are remembered, with their times and counts."""
        async with self._client(ctx) as client:
            return {"streams": [_plain(one) for one in await client.streams(as_of)]}

    async def search(
        self,
        ctx: Context,
        text: Annotated[
            str, Field(description="What to look for; empty reads out what was recorded in the time given.")
        ],
        stream: Stream = "",
        begin: Moment = None,
        until: Moment = None,
        label: Annotated[str | None, Field(description="Only what shows a thing of this label, such as cup.")] = None,
        entity: Annotated[str | None, Field(description="Only what shows this entity, such as e12.")] = None,
        speaker: str | None = None,
        limit: Limit = 16,
        as_of: Moment = None,
    ) -> Json:
        """Find evidence in the memory: episodes and sightings, best first, with times, clips and entities."""
        async with self._client(ctx) as client:
            between = (begin or "1970-01-01T00:00:00Z", until or "9999-12-31T00:00:00Z") if begin or until else None
            name = await _stream(client, stream)
            found = await client.search(
                name, text, limit=limit, as_of=as_of, between=between, label=label, entity=entity, speaker=speaker
            )
            return _plain(found)

    async def biography(
        self,
        ctx: Context,
        entity: Annotated[str, Field(description="Such as e12.")],
        stream: Stream = "",
        as_of: Moment = None,
    ) -> Json:
        """Read all encounters with one physical thing or person, in order of time."""
        async with self._client(ctx) as client:
            return _plain(await client.biography(await _stream(client, stream), entity, as_of))

    async def relations(
        self,
        ctx: Context,
        stream: Stream = "",
        source: Annotated[str | None, Field(description="Who or what does it, by name.")] = None,
        target: Annotated[str | None, Field(description="To whom or with what, by name.")] = None,
        kind: Annotated[Kind | None, Field(description="What is done; nothing means anything.")] = None,
        entity: Annotated[str | None, Field(description="Only those at one of whose ends it is, such as e12.")] = None,
        text: Annotated[str, Field(description="What it is about, to rank what fits alike.")] = "",
        begin: Moment = None,
        until: Moment = None,
        limit: Limit = 16,
        as_of: Moment = None,
    ) -> Json:
        """Find who did what with whom or what, and when; strict matches first, the others say what was relaxed."""
        async with self._client(ctx) as client:
            found = await client.relations(
                await _stream(client, stream),
                source=source,
                target=target,
                kind=kind,
                entity=entity,
                text=text,
                begin=begin,
                until=until,
                limit=limit,
                as_of=as_of,
            )
            return _plain(found)

    async def chains(
        self,
        ctx: Context,
        stream: Stream = "",
        name: Annotated[str | None, Field(description="Only the topic of this name, and events that tell it.")] = None,
        entity: Annotated[str | None, Field(description="Only those of the name that it goes by, such as e12.")] = None,
        links: Annotated[int, Field(ge=1, le=MOST_LINKS, description="Most facts or steps of each, the latest.")] = 8,
        limit: Limit = 16,
        as_of: Moment = None,
    ) -> Json:
        """Read facts about topics and steps of events over time, as windows closed; those extended last come first."""
        async with self._client(ctx) as client:
            found = client.chains(await _stream(client, stream), name=name, entity=entity, links=links, as_of=as_of)
            return {"chains": await _first(found, limit)}

    async def episodes(
        self,
        ctx: Context,
        stream: Stream = "",
        scale: Annotated[str, Field(description="local (a clip), 3min, 10min or 1h.")] = "10min",
        begin: Moment = None,
        until: Moment = None,
        limit: Limit = 50,
        as_of: Moment = None,
    ) -> Json:
        """List what went on, stretch by stretch, in order of time."""
        async with self._client(ctx) as client:
            name = await _stream(client, stream)
            found = client.episodes(name, scale, begin=begin, until=until, as_of=as_of)
            return {"episodes": await _first(found, limit)}

    async def frame(
        self,
        ctx: Context,
        clip: Annotated[str, Field(description="Such as c12.")],
        stream: Stream = "",
        at: Moment = None,
        as_of: Moment = None,
    ) -> Image:
        """Show the frame of a clip at a time, or its first."""
        async with self._client(ctx) as client:
            shown = await client.frame(await _stream(client, stream), clip, at, as_of=as_of)
            return Image(data=shown.content, format="jpeg")

    async def ask(
        self,
        ctx: Context,
        question: str,
        stream: Stream = "",
        options: Annotated[list[str] | None, Field(description="For multiple choice, two or more.")] = None,
        as_of: Moment = None,
    ) -> Json:
        """Have a question answered by the memory's own language model, with citations; slow, and thorough."""
        async with self._client(ctx) as client:
            return _plain(await client.ask(await _stream(client, stream), question, options or (), as_of))

    @asynccontextmanager
    async def _client(self, ctx: Context) -> AsyncIterator[AsyncClient]:
        try:
            async with self._opens(ctx.headers) as client:
                yield client
        except BiographerError as error:
            raise ToolError(str(error)) from error


async def _stream(client: AsyncClient, name: str) -> str:
    if name:
        return name
    names = [one.stream for one in await client.streams()]
    if len(names) != 1:
        raise ToolError(f"choose a stream: {', '.join(islice(names, 50)) or 'there is none'}")
    return names[0]


async def _first(found: AsyncIterator[msgspec.Struct], limit: int) -> list[Json]:
    shown: list[Json] = []
    async for one in found:
        shown.append(_plain(one))
        if len(shown) == limit:
            break
    return shown


def _plain(record: msgspec.Struct) -> Json:
    values: Json = msgspec.to_builtins(record)
    return values
