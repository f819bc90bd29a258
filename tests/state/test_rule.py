import pytest

from biographer.state.errors import RefusedError
from biographer.state.rule import Rule, Thresholds

NAN = float("nan")


@pytest.mark.parametrize(
    ("to_all", "to_one"), [(0.8, 0.7), (0.7, 0.7), (-1.1, 0.5), (0.5, 1.1), (NAN, 0.5), (0.5, NAN), (NAN, NAN)]
)
def test_thresholds_out_of_order_are_refused_with_their_values(to_all: float, to_one: float) -> None:
    with pytest.raises(RefusedError, match=f"similar_to_all={to_all}, similar_to_one={to_one}"):
        Thresholds(to_all, to_one)


def test_each_embedder_has_its_own_thresholds_and_others_the_fallback() -> None:
    rule = Rule(thresholds={"": Thresholds(0.1, 0.2), "e": Thresholds(0.3, 0.4)})
    assert rule.thresholds_of("e") == Thresholds(0.3, 0.4)
    assert rule.thresholds_of("f") == Thresholds(0.1, 0.2)


def test_an_embedder_without_thresholds_is_refused_by_name() -> None:
    with pytest.raises(RefusedError, match="embedder 'f' has no thresholds"):
        Rule(thresholds={"e": Thresholds(0.3, 0.4)}).thresholds_of("f")


@pytest.mark.parametrize("references", [0, -1])
def test_an_entity_needs_a_reference(references: int) -> None:
    with pytest.raises(RefusedError, match=f"references={references}"):
        Rule(references=references)


def test_the_papers_values_stand_where_nothing_is_set() -> None:
    """GEB appendix A."""
    rule = Rule()
    assert (rule.references, rule.anchor_iou) == (10, 0.6)
    assert (rule.separation.min_shared_us, rule.separation.min_shared_frames) == (300_000, 2)
    assert (rule.separation.iou, rule.separation.fraction) == (0.5, 2 / 3)
    assert rule.thresholds_of("any") == Thresholds(0.60, 0.75)
