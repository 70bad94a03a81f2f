"""`run_advised`: runs of the advised setting in a worker process; `write_runs`, `read_runs`: the file that stores them."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from sampler import Settings
from sampler.atomic_file import atomic_file
from sampler.tuning import MOST_RUNS, AdvisedRuns, CellResult, FirstRun, RunStopped, advised_runs


def run_advised(problem: Any, features: Any, labels: Any, settings: Settings, chains: int, seed: int, terms: int | None,
                largest_curvature: float, reference: str, begun: AdvisedRuns | None, handle: Any) -> AdvisedRuns | None:
    """Run the advised setting as ``python -m sampler tune`` does; publish the runs after each and return them.

    Parameters
    ----------
    problem, features, labels, settings, chains, seed, terms, largest_curvature, reference, begun
        As for `advised_runs`.
    handle : JobHandle
        Or its counterpart in a worker process. If it is stopped, return None; finished runs have been published.
    """
    def publish(runs: AdvisedRuns) -> None:
        handle.publish(_without_references(runs), len(runs.cells) / MOST_RUNS, words_ahead(runs), foreseen=True)

    with suppress(RunStopped):
        return _without_references(advised_runs(problem, features, labels, settings, chains, seed, terms, largest_curvature,
                                                publish, lambda: handle.stopped, reference, begun))
    return None


def words_ahead(runs: AdvisedRuns) -> str:
    """Return a sentence on the next run and its reason; empty after the last."""
    ended = len(runs.cells)
    if runs.over:
        return "" if runs.fitted else "fitting Gaussians: is a sampler needed?"
    return f"Run {ended + 1} of at most {MOST_RUNS}. Run {ended}: {runs.asked[-1].reason}."


def _without_references(runs: AdvisedRuns) -> AdvisedRuns:
    """Return the runs without their reference, which is large."""
    return replace(runs, first=replace(runs.first, references=None))


def write_runs(path: Path, runs: AdvisedRuns) -> None:
    """Store the finished runs."""
    kept = {"chains": runs.first.chains, "reference": runs.first.reference,
            "runs": [[cell.to_json(), verdict] for cell, verdict in zip(runs.cells, runs.verdicts, strict=True)]}
    with atomic_file(path) as file:
        file.write(json.dumps(kept).encode())


def read_runs(path: Path) -> AdvisedRuns | None:
    """Return the stored runs; None without a file or if it is damaged."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        cells = [CellResult.from_json(cell) for cell, _ in kept["runs"]]
        runs = AdvisedRuns(FirstRun(cells[0], kept["chains"], kept["reference"], 0.0, 1.0))
        for cell, (_, verdict) in zip(cells, kept["runs"], strict=True):
            runs = runs.with_run(cell, verdict)
        return runs
    except (OSError, ValueError, LookupError, TypeError):
        return None
