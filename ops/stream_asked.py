"""Which stream a command is about where the user names none: the only one that a daemon shows."""

from biographer.daemon.client_async import AsyncClient
from biographer.state.errors import RefusedError


async def stream_asked(client: AsyncClient, stream: str | None, source: str) -> str:
    """Return the stream that is named, or the only one there is; raises RefusedError where that is not clear."""
    if stream is not None:
        return stream
    names = [one.stream for one in await client.streams()]
    if len(names) == 1:
        return names[0]
    told = (
        f"choose one with --stream: {', '.join(names)}"
        if names
        else "feed it a recording, or ask with a token that may see one"
    )
    raise RefusedError(f"{source} shows {len(names) or 'no'} stream{'s' if len(names) != 1 else ''}; {told}")
