"""Which method to use when: methods x regimes x dimensions x t, each judged against a long chain on the same data.

A method is a contestant of `sampler.racing`, or the prior. At epoch t its chains start at one draw of the posterior, with
the method's caches of earlier data, and run until their means and standard deviations are good enough twice in a row
(`streaming_scores.judged`) or the budget is spent. The cost is therefore that of draws at datum t which are independent of
the common start; a third of it suffices for chains that run continuously. Each seed has different data, and all t are
taken from one stream.

Measured cells are appended to ``streaming.jsonl`` in the working folder, so a stopped run can be continued and a new method
fills in its row. A quick run is a part of a full one. ``python -m tests.benchmarks.streaming`` merges these cells with those
of earlier runs, which are stored with the sources, and writes the map that Compare displays.
"""

import json
import math
import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.special import expit, ndtr

from app.compare.method_map import DIMS, FILE, PRIOR, REGIMES, read_map
from sampler import LogisticRegression, Settings
from sampler.racing import CONTESTANTS, RaceSetup, prepare_race
from sampler.racing.runners import FitRunner
from sampler.reference import find_mode, long_chain_reference
from sampler.threads import use_threads
from sampler.version import VERSION
from tests.benchmarks.streaming_scores import judged, summary
from tests.benchmarks.timing import Row, machine, row, skipped

LEFT_OUT = {"laplace", "sgld_same", "sgld_quiet", "svrg_plus", "saga_fixed", "nuts_warm"}
"""Contestants too similar to another one for a separate row."""
TIMES, LONG, LONG_UP_TO = (100, 1_000), 10_000, 11
"""Numbers of data; LONG only up to dimension LONG_UP_TO, and not in a quick run."""
SEEDS, QUICK_SEEDS, WORKERS = 5, 1, 2
DRAWS, TRUTH, LEAST_ESS = 512, 20_000, 1_000
WORK = 6e9
"""Budget of a method at one posterior, in numbers read by all chains: evaluations times (d + 10)."""
PARTICLES = {"ibis": 8}
"""Particles per draw: 512 walks come from only 10 ancestors, too few in 23 dimensions; more are cheap."""
FIRST, GROWTH = 4, 1.6
"""Steps to the first check, and the growth of evaluations from one check to the next."""
CURVED = 0.2
"""Upper limit of SAGA-LD's step times the largest curvature of F_n for n up to t; `sampler.tuning.advise` applies it to
F_T only. With rare or separable labels curvature per datum falls over time: a step chosen for its end would diverge."""
CELLS = Path("streaming.jsonl")
KEPT = Path(__file__).with_name("streaming_cells.parquet")
"""File of the cells of earlier runs."""


class Place(NamedTuple):
    seed: int
    t: int
    regime: str
    dim: int


def methods() -> list[str]:
    return [key for key in CONTESTANTS if key not in LEFT_OUT] + [PRIOR]


def places(quick: bool) -> list[Place]:
    """Return the places to measure, by seed and, within a seed, by increasing cost."""
    every = [Place(seed, t, regime, dim) for seed in range(QUICK_SEEDS if quick else SEEDS)
             for t in (TIMES if quick else (*TIMES, LONG)) for regime in REGIMES for dim in DIMS
             if t < LONG or dim <= LONG_UP_TO]
    return sorted(every, key=lambda place: (place.seed, place.t * place.dim))


def stream(regime: str, dim: int, rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features (rows, dim) with an intercept as last column, and labels (rows,); fewer rows are a prefix of more.

    gaussian: independent features, scores of standard deviation 1.5. separable: the same, labels are signs of the scores.
    rare: the same, one label in 200. collinear: features share a factor, correlation 0.998. drift: the truth turns by 60
    degrees while t grows tenfold. leverage: rows have the scale mixture of Student's t with 1.5 degrees of freedom.
    """
    draws = np.random.default_rng([seed, dim, 1]).standard_normal((rows, dim + 1))
    features, uniform = draws.copy()[:, :dim], ndtr(draws[:, dim])
    features[:, -1] = 1.0
    truth, other = np.random.default_rng([seed, dim, 2]).standard_normal((2, dim))
    truth, other = (1.5 * part / np.linalg.norm(part) for part in (truth, other))
    if regime == "collinear":
        features[:, :-1] = draws[:, [dim - 1]] + 0.05 * features[:, :-1]
    if regime == "leverage":
        mixing = np.random.default_rng([seed, dim, 3]).gamma(0.75, 1 / 0.75, (rows, 1))
        features[:, :-1] /= np.sqrt(mixing)
    scores = features @ truth
    if regime == "rare":
        truth[-1] = 0.0
        scores = features @ truth - 6.4
    if regime == "drift":
        angle = np.deg2rad(60.0) * np.log10(np.arange(1, rows + 1))
        scores = np.cos(angle) * scores + np.sin(angle) * (features @ other)
    if regime == "separable":
        return features, (scores > 0).astype(float)
    return features, (uniform < expit(scores)).astype(float)


def settings_for(problem: LogisticRegression, features: np.ndarray, labels: np.ndarray) -> Settings:
    """Return SAGA-LD's settings for the whole stream."""
    settings, steep = Settings(), 0.0
    for n in {*(10**k for k in range(1, 6) if 10**k < len(labels)), len(labels)}:
        posterior = problem.posterior(features[:n], labels[:n])
        largest = float(np.linalg.eigvalsh(posterior.hessian(find_mode(posterior)))[-1])
        steep = max(steep, largest / (n + settings.offset))
    return settings.replace(eta0=CURVED / steep)


def prepared(place: Place) -> RaceSetup:
    """Return the setup of a place before datum t, with its reference posterior."""
    features, labels = stream(place.regime, place.dim, place.t, place.seed)
    problem = LogisticRegression(place.dim)
    posterior, settings = problem.posterior(features, labels), settings_for(problem, features, labels)
    setup = prepare_race(problem, (features, labels), settings, DRAWS, place.seed, draws=TRUTH)
    assert setup is not None
    truth = setup.reference
    if truth.draws is not None and min(truth.ess) < LEAST_ESS:
        truth = long_chain_reference(posterior, 8 * TRUTH, place.seed)
    rng = np.random.default_rng([place.seed, 6])
    start = truth.draws[0] if truth.draws is not None else rng.multivariate_normal(truth.mean, truth.covariance)
    return replace(setup, reference=truth, start=np.asarray(start, float))


def measured(setup: RaceSetup, key: str, work: float = WORK) -> dict[str, Any]:
    """Return the scores of one method at one posterior, see `streaming_scores.Judged`; costs are for all draws."""
    scores: dict[str, Any] = {"refused": "", "note": "", "gradients": 0.0, "seconds": 0.0}
    if key == PRIOR:
        rng = np.random.default_rng([setup.seed, 8])
        draws = rng.standard_normal((setup.chains, setup.problem.dim)) / np.sqrt(setup.problem.prior_precision)
        return scores | scored(draws, setup)
    contestant = CONTESTANTS[key]
    if refused := contestant.refuses(setup.problem):
        return scores | {"refused": refused}
    each, nothing = PARTICLES.get(key, 1), np.full((setup.chains, setup.problem.dim), np.nan)
    try:
        runner = contestant.begin(replace(setup, chains=each * setup.chains))
    except ValueError as error:  # it diverged earlier, or has a limit
        return scores | scored(nothing, setup) | {"note": str(error)}
    shared = 1 if isinstance(runner, FitRunner) else each * setup.chains
    most = work / ((setup.problem.dim + 10) * setup.chains * contestant.price)
    good = 0
    while runner.moving and good < 2 and (runner.evaluations < most or not runner.steps):
        runner.advance(max(runner.evaluations, FIRST * runner.step_cost) * GROWTH)
        good = good + 1 if judged(runner.positions, setup.reference).good else 0
    draws = nothing if runner.diverged else runner.positions[::each]
    note = "diverged" if runner.diverged else "budget spent" if runner.moving and good < 2 else ""
    return scores | scored(draws, setup) | {
        "note": note, "gradients": float(runner.evaluations * shared), "seconds": float(runner.seconds * shared)}


def scored(draws: np.ndarray, setup: RaceSetup) -> dict[str, Any]:
    result = judged(draws, setup.reference)
    return {**result._asdict(), "good": result.good}


def cells_of(place: Place, keys: list[str]) -> list[dict[str, Any]]:
    """Return the cells of methods at a place, with processor, version, and R-hat and effective size of the reference."""
    use_threads(1)
    setup = prepared(place)
    truth = setup.reference
    drawn = truth.draws is not None
    about = {"rhat": float(np.max(truth.rhat)) if drawn else 1.0, "ess": float(np.min(truth.ess)) if drawn else math.inf,
             "cpu": machine()["cpu"], "version": VERSION}
    return [{**place._asdict(), "method": key, **measured(setup, key), **about} for key in keys]


def recorded(path: Path) -> list[dict[str, Any]]:
    """Return the cells of a file, without an incomplete line of a stopped run."""
    cells = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            cells.append(json.loads(line))
        except ValueError:
            continue
    return cells


def all_cells(path: Path) -> list[dict[str, Any]]:
    kept = pq.read_table(KEPT).to_pylist() if KEPT.exists() else []
    return [{name: value for name, value in cell.items() if value is not None} for cell in kept] + recorded(path)


def keep(cells: list[dict[str, Any]]) -> None:
    names = dict.fromkeys(name for cell in cells for name in cell)  # refused cells have fewer
    pq.write_table(pa.Table.from_pylist([dict.fromkeys(names) | cell for cell in cells]), KEPT, compression="zstd")


def missing(path: Path, quick: bool) -> list[tuple[Place, list[str]]]:
    have = {(Place(one["seed"], one["t"], one["regime"], one["dim"]), one["method"]) for one in all_cells(path)}
    able = [key for key in methods() if key == PRIOR or not CONTESTANTS[key].missing()]  # others are measured later
    lacks = ((place, [key for key in able if (place, key) not in have]) for place in places(quick))
    return [(place, keys) for place, keys in lacks if keys]


def run(path: Path, work: Iterable[tuple[Place, list[str]]], workers: int = WORKERS) -> Iterator[list[dict[str, Any]]]:
    """Measure places in parallel; append their cells to a file and yield them."""
    if path.exists() and (text := path.read_text(encoding="utf-8")) and not text.endswith("\n"):
        path.write_text(text + "\n", encoding="utf-8")
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for future in as_completed([pool.submit(cells_of, *one) for one in work]):
            with path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(cell) + "\n" for cell in future.result())
            yield future.result()


def made(records: list[dict[str, Any]]) -> dict[str, Any]:
    plain = {cpu: re.sub(r"\(R\)|\(TM\)| Processor$", "", cpu) for cpu in {one["cpu"] for one in records}}
    processors = " and ".join(sorted({name for cpu in plain.values() for name in cpu.split(" and ")}))
    versions = sorted({one["version"] for one in records}, key=lambda version: [int(part) for part in version.split(".")])
    return {"machine": f"{processors}, {machine()['cores']} cores", "date": date.today().isoformat(),
            "version": " to ".join(dict.fromkeys((versions[0], versions[-1]))),
            "seeds": len({one["seed"] for one in records}), "draws": DRAWS,
            "measured": len({tuple(one[name] for name in Place._fields) for one in records}), "whole": len(places(False))}


def measure(quick: bool) -> Iterator[Row]:
    """Measure missing cells and yield one row per method: the share of posteriors in which it is good enough."""
    for key in methods():
        if key != PRIOR and (lacks := CONTESTANTS[key].missing()):
            yield skipped(key, f"needs {lacks}")
    for cells in run(CELLS, missing(CELLS, quick)):
        place = [cells[0][name] for name in Place._fields]
        print("  ", *place, "good:", *(one["method"] for one in cells if one.get("good")), flush=True)
    records = all_cells(CELLS)
    table = read_map(summary(records, made(records)))
    for i, key in enumerate(table.methods):
        ran = table.runs[i] > 0
        if ran.any():
            rank, low, high = table.ranks[i]
            yield row(f"{key}: share of posteriors in which it is good enough", table.enough[i][ran].mean(), unit="",
                      note=f"rank {rank:.1f} ({low:.1f} - {high:.1f})")


if __name__ == "__main__":
    cells = all_cells(Path(sys.argv[1]) if len(sys.argv) > 1 else CELLS)
    keep(cells)
    FILE.write_text(summary(cells, made(cells)), encoding="utf-8")
