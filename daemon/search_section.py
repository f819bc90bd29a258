"""The section of the settings on search. As in `sections`, the description of a field is its documentation."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from biographer.daemon.sections import Section
from biographer.state.ablation import Ablation
from biographer.state.search_settings import SearchSettings

_SEARCH = SearchSettings()
"""Ranking is tuned where it is done; its defaults are taken from there."""


class Search(Section, frozen=True):
    """How the memory is searched; state/RANKING.md says what was tried."""

    score: Annotated[
        Literal["sum", "geb", "magic"],
        Meta(description="How a unit is scored: our sum, GEB's rank x cosine, MAGIC-Video's rank x (1 + cosine) / 2."),
    ] = _SEARCH.score
    lexical: Annotated[
        float, Meta(ge=0, description="Weight of BM25, as a share of the most the words could give.")
    ] = _SEARCH.lexical
    segment: Annotated[float, Meta(ge=0, description="Weight of the cosine with a clip's best segment.")] = (
        _SEARCH.segment
    )
    line: Annotated[float, Meta(ge=0, description="Weight of the cosine with a clip's best line.")] = _SEARCH.line
    neighbour: Annotated[
        float, Meta(ge=0, description="Share of the relevance of the episodes before and after that one gains.")
    ] = _SEARCH.neighbour
    hour: Annotated[
        float, Meta(ge=0, description="Share of the best relevance within its hour that an episode gains.")
    ] = _SEARCH.hour
    recency: Annotated[float, Meta(ge=0, description="Taken off per log(1 + hours) before the watermark.")] = (
        _SEARCH.recency
    )
    walk: Annotated[float, Meta(ge=0, description="Weight of the walk's score, relative to the most of its kind.")] = (
        _SEARCH.walk
    )
    damping: Annotated[float, Meta(gt=0, lt=1, description="Damping of the walk.")] = _SEARCH.damping
    residual: Annotated[
        float,
        Meta(gt=0, lt=1, description="Where the walk stops, relative to a node's degree: less is nearer to exact."),
    ] = _SEARCH.residual
    seeds: Annotated[int, Meta(ge=1, le=1000, description="Seeds a channel.")] = _SEARCH.seeds
    seed_text: Annotated[float, Meta(ge=0, description="Share of text in the walk's restart.")] = _SEARCH.seed_text
    seed_lexical: Annotated[float, Meta(ge=0, description="Share of words in the walk's restart.")] = (
        _SEARCH.seed_lexical
    )
    seed_visual: Annotated[float, Meta(ge=0, description="Share of looks in the walk's restart.")] = _SEARCH.seed_visual
    seed_names: Annotated[
        float, Meta(ge=0, description="Share, in the walk's restart, of names that the question holds whole.")
    ] = _SEARCH.seed_names
    observations: Annotated[
        float, Meta(ge=0, le=1, description="Share of a result that may be observations; more where episodes run out.")
    ] = _SEARCH.observations
    per_entity: Annotated[int, Meta(ge=1, description="Most observations of one entity in a result.")] = (
        _SEARCH.per_entity
    )
    windows: Annotated[
        Mapping[Literal["3min", "10min", "1h"], Annotated[float, Meta(ge=0, le=1)]],
        Meta(
            description="Shares that may be coarser episodes, more where others run out: "
            '{"3min" = 0.25, "10min" = 0.1875}.'
        ),
    ] = msgspec.field(default_factory=dict)
    without: Annotated[
        tuple[Ablation, ...],
        Meta(description=f"For experiments, parts that are left out of searches and answers: {', '.join(Ablation)}."),
    ] = ()
