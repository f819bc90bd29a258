import pytest

from biographer.models.stages import Stage, Stages


def test_time_is_added_up_by_stage_also_where_the_block_raises():
    ticks = iter([0.0, 1.0, 5.0, 7.0])
    stages = Stages(clock=lambda: next(ticks))
    with stages.timed(Stage.TRACK):
        pass
    with pytest.raises(KeyError), stages.timed(Stage.TRACK):
        raise KeyError
    assert stages.seconds[Stage.TRACK] == 3.0
    assert stages.seconds[Stage.DETECT] == 0.0


def test_waiting_for_items_is_timed_and_nothing_else():
    now = [0.0]

    def slow():
        for item in (1, None, 3):
            now[0] += 2.0
            yield item

    stages = Stages(clock=lambda: now[0])
    seen = []
    for item in stages.timed_each(Stage.DECODE, slow()):
        now[0] += 100.0
        seen.append(item)
    assert seen == [1, None, 3]
    assert stages.seconds[Stage.DECODE] == 6.0
