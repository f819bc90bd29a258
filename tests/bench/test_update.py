"""The update bench in miniature."""

import json
from pathlib import Path

from click.testing import CliRunner

from biographer.bench import update
from biographer.bench.exhaustive import Exhaustive
from biographer.ops.bench import bench


def test_prints_one_object_with_machine_commit_and_figures_and_writes_it_too(tmp_path: Path):
    target = tmp_path / "deep" / "update.json"
    sizes = ["--size", "200", "--size", "600", "--small", "100"]
    ran = CliRunner().invoke(
        bench,
        ["update", *sizes, "--clips", "3", "--per-clip", "10", "--work-folder", str(tmp_path), "--output", str(target)],
    )
    assert ran.exit_code == 0, ran.stderr
    outcome = json.loads(ran.stdout)
    assert json.loads(target.read_text()) == outcome
    assert outcome["machine"]["cores"] >= 1
    assert "dirty" in outcome["commit"]
    figures = outcome["figures"]
    assert figures["agreement"] == 1.0
    assert figures["at"]["100"]["decisions_checked"] == 30
    assert figures["at"]["600"]["decisions_checked"] == 10
    assert figures["at"]["600"]["apply_ms"]["p95"] >= figures["at"]["600"]["apply_ms"]["median"] > 0
    assert figures["growth_of_memory"] == 3.0
    assert not list(tmp_path.glob("biographer-bench-*")), "what was made up is gone"


def test_a_memory_that_decides_otherwise_than_exhaustively_is_told_on(monkeypatch):
    apply = Exhaustive.apply

    def other(self: Exhaustive, perceived):  # one decision of a clip is another
        first, *rest = apply(self, perceived)
        return [type(first)(first.track, first.observation, 10**6, 0.0, first.cause), *rest]

    monkeypatch.setattr(Exhaustive, "apply", other)
    outcome = update.measure(update.Workload((200,), 2, 1, 10, 100, 7), None, lambda _: None)
    assert outcome.figures["agreement"] < 1
    assert outcome.meets["agreement = 1"] is False
