"""Which stream a command is about where the user names none: the only one that a daemon shows."""

from biographer.daemon.api_records import StreamRecord
from biographer.daemon.client_async import AsyncClient
from biographer.state.errors import RefusedError


async def stream_asked(client: AsyncClient, stream: str | None, source: str) -> StreamRecord:
    """Return the stream that is named, or the only one there is; raises RefusedError where that is not clear."""
    if stream is not None:
        return await client.stream(stream)
    found = await client.streams()
    if len(found) == 1:
        return found[0]
    told = (
        f"choose one with --stream: {', '.join(one.stream for one in found)}"
        if found
        else "feed it a recording, or ask with a token that may see one"
    )
    raise RefusedError(f"{source} shows {len(found) or 'no'} stream{'s' if len(found) != 1 else ''}; {told}")
