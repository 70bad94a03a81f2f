"""The advised setting's runs as a job of a worker process, and the file that keeps them for the next visit."""

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
    """Run what ``python -m sampler tune`` runs without a sweep; publish the runs as each ends, and return them.

    Parameters
    ----------
    problem, features, labels, settings, chains, seed, terms, largest_curvature, reference, begun
        As for `advised_runs`.
    handle : JobHandle
        Or what a worker process has of it. Stopped, None is returned: what has ended was published.
    """
    def tell(runs: AdvisedRuns) -> None:
        handle.publish(_without_references(runs), len(runs.cells) / MOST_RUNS, words_ahead(runs), foreseen=True)

    with suppress(RunStopped):
        return _without_references(advised_runs(problem, features, labels, settings, chains, seed, terms, largest_curvature,
                                                tell, lambda: handle.stopped, reference, begun))
    return None


def words_ahead(runs: AdvisedRuns) -> str:
    """What comes next, and why, in words."""
    ended = len(runs.cells)
    if runs.over:
        return "" if runs.fitted else "fitting Gaussians: is a sampler needed?"
    return f"Run {ended + 1} of {MOST_RUNS} at most. Run {ended}: {runs.requests[-1].reason}."


def _without_references(runs: AdvisedRuns) -> AdvisedRuns:
    """Return the runs as a page needs them: the truth they were judged by is large."""
    return replace(runs, first=replace(runs.first, references=None))


def write_runs(path: Path, runs: AdvisedRuns) -> None:
    """Keep what has ended."""
    kept = {"chains": runs.first.chains, "reference": runs.first.reference,
            "runs": [[cell.to_json(), verdict] for cell, verdict in zip(runs.cells, runs.verdicts, strict=True)]}
    with atomic_file(path) as file:
        file.write(json.dumps(kept).encode())


def read_runs(path: Path) -> AdvisedRuns | None:
    """Return what is kept; None where nothing is, or where the file is damaged."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        cells = [CellResult.from_json(cell) for cell, _ in kept["runs"]]
        runs = AdvisedRuns(FirstRun(cells[0], kept["chains"], kept["reference"], 0.0, 1.0))
        for cell, (_, verdict) in zip(cells, kept["runs"], strict=True):
            runs = runs.with_run(cell, verdict)
        return runs
    except (OSError, ValueError, LookupError, TypeError):
        return None
