"""Fields that many of the API's records have: types with what they mean, which API.md and openapi.json repeat.

Fields that one record has alone say it where they stand. Nothing is checked here: what is asked is in `api_queries`.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

Time: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]

Start: TypeAlias = Annotated[Time, Meta(description="When it began.")]
End: TypeAlias = Annotated[Time, Meta(description="When it ended.")]
Known: TypeAlias = Annotated[
    Time, Meta(description="Since when the memory knows it: the end of the latest input that it was made from.")
]
StreamOf: TypeAlias = Annotated[str, Meta(description="Name of the stream that it is of.")]
ClipOf: TypeAlias = Annotated[str, Meta(description="The clip that it is of, such as c12.")]
ClipNameOf: TypeAlias = Annotated[str, Meta(description="The name under which that clip was sent.")]
Late: TypeAlias = Annotated[bool, Meta(description="Whether it came late: it ended by the watermark of then.")]
Box: TypeAlias = Annotated[
    tuple[float, float, float, float],
    Meta(description="Left, top, right and bottom of what is seen, in 0..1 of the frame's width and height."),
]
Next: TypeAlias = Annotated[
    str | None, Meta(description="What to ask with as `cursor` for the page after this one; null on the last.")
]
TookMs: TypeAlias = Annotated[float, Meta(description="Milliseconds that the daemon took.")]
ChainKind: TypeAlias = Annotated[
    Literal["topic", "event"], Meta(description="topic: facts about one name; event: the steps of what happened.")
]
