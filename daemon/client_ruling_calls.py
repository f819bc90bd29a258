"""The calls by which a client says who is who, reads what was said or told, and searches relations."""

from collections.abc import Sequence

from biographer.daemon import api_ruling_records as records
from biographer.daemon.api_chain_records import CHAINS_MAX, ChainPage, OfChains
from biographer.daemon.api_relation_records import OfRelations, RelationList
from biographer.daemon.client_call import Call, FindRelations, ListChains, Moment
from biographer.daemon.client_calls import get, post, spanned, time_text, timed

_STREAM = "/v1/streams/{stream}"
_ENTITY = f"{_STREAM}/entities/{{entity}}"


def name(stream: str, entity: str, name: str) -> Call[records.RulingMade]:
    """Give an entity its name."""
    return _rule("name", stream, entity, records.NameOrder(name=name))


def merge(stream: str, entity: str, other: str) -> Call[records.RulingMade]:
    """Say that another entity is this one."""
    return _rule("merge", stream, entity, records.OtherOrder(other=other))


def split(stream: str, entity: str, observations: Sequence[str]) -> Call[records.RulingMade]:
    """Say that some observations of an entity are of another."""
    return _rule("split", stream, entity, records.SplitOrder(observations=tuple(observations)))


def apart(stream: str, entity: str, other: str) -> Call[records.RulingMade]:
    """Say that another entity is not this one."""
    return _rule("apart", stream, entity, records.OtherOrder(other=other))


def undo(stream: str, ruling: str) -> Call[records.RulingMade]:
    """Withdraw a ruling."""
    params = records.OfRuling(stream=stream, ruling=ruling)
    return post(f"{_STREAM}/rulings/{{ruling}}/undo", params, records.RulingMade)


def rulings(stream: str, as_of: Moment | None) -> Call[records.RulingList]:
    """Ask for all that was said."""
    return get(f"{_STREAM}/rulings", records.OfRulings(stream=stream, as_of=time_text(as_of)), records.RulingList)


def relations(stream: str, asked: FindRelations) -> Call[RelationList]:
    """Search relations."""
    rest = {name: value for name, value in asked.items() if name not in ("as_of", "begin", "until")}
    return get(f"{_STREAM}/relations", spanned(OfRelations, asked=asked, stream=stream, **rest), RelationList)


def chains(stream: str, asked: ListChains, cursor: str | None = None) -> Call[ChainPage]:
    """List chains, as many a page as there may be."""
    params = OfChains(stream=stream, limit=CHAINS_MAX, cursor=cursor, **timed(asked))
    return get(f"{_STREAM}/chains", params, ChainPage)


def _rule(
    act: str, stream: str, entity: str, order: records.NameOrder | records.OtherOrder | records.SplitOrder
) -> Call[records.RulingMade]:
    return post(f"{_ENTITY}/{act}", records.OfRuled(stream=stream, entity=entity), records.RulingMade, order)
