"""Which entities of a table a request asks for, and how many bear each label."""

import numpy as np
from numpy.typing import NDArray

from biographer.daemon import api_entity_records as entity_records
from biographer.daemon import api_queries as queries
from biographer.state.cut import Cut
from biographer.state.entity_table import EntityTable
from biographer.state.recalled_entities import entities_of_text
from biographer.state.view import View

_LABELS_MAX = 60


def labels(table: EntityTable) -> tuple[entity_records.LabelRecord, ...]:
    """Return the most frequent labels."""
    counted = table.counted()[:_LABELS_MAX]
    return tuple(entity_records.LabelRecord(label=label, entities=count) for label, count in counted)


def matching(table: EntityTable, cut: Cut, view: View | None, params: queries.OfEntities) -> NDArray[np.int64]:
    """Return the places in the table of the entities that are asked for."""
    chosen = np.ones(len(table), np.bool_)
    if params.label is not None:
        chosen &= table.labelled(params.label)
    if params.name is not None:
        chosen &= table.called(params.name)
    if params.text is not None and view is not None:
        chosen &= table.described(view, params.text)
    elif params.text is not None:
        chosen &= np.isin(table.entities, sorted(entities_of_text(cut, params.text)))
    return np.flatnonzero(chosen)
