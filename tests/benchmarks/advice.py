"""The advised setting, run and judged, against a sweep on forty small streams, with the sweep's reference posterior.

For each stream the advised setting is run on few chains and judged, followed by the settings that its measurements
request, as in ``python -m sampler tune``. The chosen setting, run on many chains, gives the true verdict; a sweep around
the advised setting gives the cost of the cheapest safe one.

For comparison: the settings advised by the same rule from two large-sample laws of the same sampler, and the advised
setting of the preconditioned sampler. Negrea, Yang, Feng, Roy and Huggins (arXiv 2207.12395) take the limit in continuous
time, an Ornstein-Uhlenbeck process; Wang, Ding and Huggins (arXiv 2606.00293) keep the steps. In both the gradient noise N
does not depend on the chain: here it is that of SAGA-LD's caches for a chain with the spread of the posterior.

Measured streams are appended to ``advice.jsonl`` in the working folder, so a stopped run can be continued; sweeps, which
take nearly all of the time, to ``advice-sweeps.jsonl``: a sweep is repeated only if its grid changes.
"""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from sampler import LinearRegression, LogisticRegression, PoissonRegression, Settings, advise
from sampler.cli.tune import ETAS, LENGTHS
from sampler.racing.paper_data import paper_split
from sampler.threads import use_threads
from sampler.tuning import CellResult, Forecast, Grid, Sweep, around, forecast_grid, forecast_of, trial_order, verdict_of
from sampler.tuning.advised_setting import ADVISED_CHAINS, FEW_CHAINS, advised_runs
from sampler.tuning.sweep_cell import SweepJob, run_cell
from sampler.tuning.sweep_reference import SweepReference
from tests.benchmarks.streaming import recorded
from tests.benchmarks.timing import Row, row, skipped

PROBLEMS: dict[str, Callable[[int], Any]] = {
    "logistic": LogisticRegression, "linear": LinearRegression, "poisson": lambda dim: PoissonRegression(dim, dim)}
"""Kind -> problem. The prior of Poisson regression gives scores a spread of about 1, so that no chain begins at exp(10)."""
CHAINS, MANY, SEED = 64, 192, 1
"""Chains of a sweep's cell, as on the command line, and of the run for the true verdict; seed of the latter."""
QUICK = 5
"""A quick run measures every ``QUICK``-th stream."""
RIGHT, CHEAP, NEAR, PRICE = 0.95, 0.9, 1.5, 0.05
"""Targets: share of right verdicts; share of settings that cost at most NEAR times the cheapest safe one; price."""
RECORD, SWEEPS = Path("advice.jsonl"), Path("advice-sweeps.jsonl")
MADE = {"logistic": {"gaussian": (2, 5, 11, 21), "rare": (5, 11), "collinear": (5, 11), "scaled": (5, 11),
                     "leverage": (5, 11), "indicators": (11,), "separable": (5,)},
        "linear": {"gaussian": (2, 11, 21), "collinear": (5,), "scaled": (5,), "leverage": (11,), "indicators": (11,)},
        "poisson": {"gaussian": (2, 5, 11, 21), "rare": (5,), "scaled": (5,), "leverage": (5,)}}
"""Kind -> regime -> dimensions of the synthetic streams."""
ROWS, MOST = (300, 400, 200), 300
"""Rows of synthetic streams, in turn, the maximum for regime rare; maximum number of rows of a file."""
Data = tuple[str, np.ndarray, np.ndarray]


def made(kind: str, regime: str, dim: int, rows: int, seed: int) -> Data:
    """Return the kind, features (rows, dim) with an intercept as last column, and labels (rows,).

    rare: one label in fifty, or a mean count of 0.1. collinear: features share a factor, correlation 0.9. scaled:
    standard deviations from 0.3 to 3. leverage: rows have the scale mixture of Student's t with 3 degrees of freedom.
    indicators: zeros and ones, with frequencies that fall from 0.5. separable: labels are the sign of the score.
    """
    rng = np.random.default_rng([seed, dim, rows])
    features, shared = rng.standard_normal((rows, dim)), rng.standard_normal((rows, 1))
    if regime == "collinear":
        features = math.sqrt(0.1) * features + math.sqrt(0.9) * shared
    elif regime == "scaled":
        features *= np.geomspace(0.3, 3.0, dim)
    elif regime == "leverage":
        features /= np.sqrt(rng.gamma(1.5, 1 / 1.5, (rows, 1)))
    elif regime == "indicators":
        features = (rng.random((rows, dim)) < np.linspace(0.5, 0.05, dim)).astype(float)
    features[:, -1] = 1.0
    truth = rng.standard_normal(dim)
    truth[:-1] *= {"logistic": 1.5, "linear": 1.5, "poisson": 0.5}[kind] / np.linalg.norm(features[:, :-1] @ truth[:-1]
                                                                                    / math.sqrt(rows))
    truth[-1] = {"logistic": -5.0, "poisson": -2.4}.get(kind, 0.0) if regime == "rare" else 0.3
    scores = features @ truth
    if kind == "linear":
        return kind, features, scores + rng.standard_normal(rows)
    if kind == "poisson":
        return kind, features, rng.poisson(np.exp(scores)).astype(float)
    return kind, features, (scores > 0 if regime == "separable" else rng.random(rows) < expit(scores)).astype(float)


def prepared(kind: str, features: Any, labels: Any, rows: int = MOST) -> Data:
    """Return ``rows`` random rows with standardised columns and an intercept; a linear response is standardised too."""
    features, labels = np.asarray(features, float), np.asarray(labels, float)
    order = np.random.default_rng(0).permutation(len(labels))[:rows]
    features, labels = features[order], labels[order]
    spread = features.std(axis=0)
    features = (features - features.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    if kind == "linear":
        labels = (labels - labels.mean()) / labels.std()
    return kind, np.column_stack([features, np.ones(len(labels))]), labels


def of_sklearn(name: str, classes: tuple[int, int] | None = None, columns: int = 20) -> Data:
    """Return a data set of scikit-learn with its columns of largest spread: two of its classes, or a linear response."""
    from sklearn import datasets

    features, labels = getattr(datasets, f"load_{name}")(return_X_y=True)
    if classes:
        kept = np.isin(labels, classes)
        features, labels = features[kept], labels[kept] == classes[1]
    widest = np.sort(np.argsort(features.std(axis=0))[-columns:])
    return prepared("logistic" if classes else "linear", features[:, widest], labels)


def of_river(name: str, kind: str, response: str | None = None) -> Data:
    """Return a data set included in river, numeric columns only."""
    from river import datasets

    pairs = [(x, y if response is None else y[response]) for x, y in getattr(datasets, name)()]
    keys = [key for key, value in pairs[0][0].items() if isinstance(value, int | float)]
    return prepared(kind, [[x[key] for key in keys] for x, _ in pairs], [y for _, y in pairs])


def of_paper(name: str, columns: int = 10) -> Data:
    split = paper_split(name)
    return prepared("logistic", split.train_features[:, :columns], split.train_labels)


def streams() -> dict[str, Callable[[], Data]]:
    table: dict[str, Callable[[], Data]] = {
        "pima": partial(of_paper, "pima"), "mushrooms": partial(of_paper, "mushrooms", 5)}
    if find_spec("sklearn"):
        table |= {"breast_cancer": partial(of_sklearn, "breast_cancer", (0, 1), 5),
                  "wine": partial(of_sklearn, "wine", (0, 1)),
                  "iris": partial(of_sklearn, "iris", (1, 2)), "digits": partial(of_sklearn, "digits", (3, 8), 10),
                  "diabetes": partial(of_sklearn, "diabetes", None, 5)}
    if find_spec("river"):
        table |= {"bananas": partial(of_river, "Bananas", "logistic"), "phishing": partial(of_river, "Phishing", "logistic"),
                  "trump_approval": partial(of_river, "TrumpApproval", "linear"),
                  "chick_weights": partial(of_river, "ChickWeights", "linear"),
                  "solar_flare": partial(of_river, "SolarFlare", "poisson", "c-class-flares")}
    drawn = [(kind, regime, dim) for kind, regimes in MADE.items() for regime, dims in regimes.items() for dim in dims]
    for i, (kind, regime, dim) in enumerate(drawn):
        table[f"{kind} {regime} {dim}"] = partial(made, kind, regime, dim, max(ROWS) if regime == "rare" else ROWS[i % 3], i)
    return table


class LargeSample(Forecast):
    """A forecast with a large-sample law in place of the library's: N does not depend on the chain.

    H S + S H = 2 I + eta N in continuous time, with memory exp(-eta lambda n) after n steps; in steps
    S = (I - eta H) S (I - eta H) + 2 eta I + eta^2 N.
    """

    def __init__(self, forecast: Forecast, continuous: bool) -> None:
        self.__dict__ |= forecast.__dict__ | {"_laws": {}, "continuous": continuous}

    def _rate(self, *args: Any) -> np.ndarray:
        rate = super()._rate(*args)
        return np.exp(rate - 1.0) if self.continuous else rate

    def _inflation(self, s: Settings) -> Any:
        noise, lam, eta = self.noise, self._last, s.eta0 / self.divisor(s)
        factors = noise._anchor_factors(self.horizon, eta, s.batch_size, s.variance_reduction)
        of_gradient = noise._noise_of(np.diag(1.0 / lam), self.horizon, *factors) / s.batch_size
        lost = lam[:, None] + lam - (0.0 if self.continuous else eta * np.multiply.outer(lam, lam))
        if lost.min() <= 0.0:
            return None
        covariance = (2.0 * np.eye(len(lam)) + eta * of_gradient) / lost
        squares = self.vectors**2 @ np.diagonal(covariance)
        return np.diagonal(covariance) * lam, np.einsum("ai,ij,aj->a", self.vectors, covariance, self.vectors) / squares


def gradients(cell: CellResult, chains: int) -> float:
    """Return the gradient evaluations of all chains of a cell since its first row."""
    return cell.cost * chains * (cell.rows if cell.diverged is None else cell.diverged[1])


def judged(cell: CellResult, chains: int, truth: SweepReference) -> dict[str, Any]:
    verdict = verdict_of(cell, Settings(), chains, None, truth.ess, None, len(next(iter(truth.epochs.values())).mode))
    return cell.to_json() | {"chains": chains, "verdict": verdict.kind, "price": gradients(cell, chains)}


def swept(name: str, forecast: Forecast, data: Data, settings: Settings) -> dict[str, Any]:
    """Return the cost of a sweep around a setting and of its cheapest safe cell, read from `SWEEPS` if recorded."""
    grid = Grid(around(settings.eta0, ETAS["saga-ld"]), around(settings.i_max, LENGTHS, whole=True), (settings.batch_size,),
                (settings.acceptance_radius,))
    key = json.loads(json.dumps({"name": name, "chains": CHAINS, "grid": asdict(grid)}))
    if kept := next((one for one in recorded(SWEEPS) if key.items() <= one.items()), None):
        return kept
    sweep = Sweep(forecast.problem, *data[1:], grid, chains=CHAINS, workers=0,
                  order=trial_order(forecast_grid(forecast, grid, Settings())))
    prices: list[float] = []
    outcome = sweep.run(on_cell=lambda cell, finished: prices.append(gradients(cell, CHAINS)))
    truth = sweep.references
    assert truth is not None
    safe = [cell.cost for cell in outcome.cells if cell.rung == len(sweep.rungs) - 1
            and judged(cell, CHAINS, truth)["verdict"] == "safe"]
    return keep(SWEEPS, key | {"price": sum(prices), "seconds": outcome.seconds, "cheapest": min(safe, default=None)})


def measured(name: str, data: Data) -> dict[str, Any]:
    use_threads(1)
    kind, features, labels = data
    rows, dim = features.shape
    forecast = Forecast(PROBLEMS[kind](dim), features, labels)
    problem, settings = forecast.problem, advise(forecast).settings
    sweep = swept(name, forecast, data, settings)
    tried = advised_runs(problem, features, labels, settings, ADVISED_CHAINS, 0, None, forecast.largest_curvature)
    truth = tried.first.references
    assert truth is not None

    def run(wanted: Settings, chains: int, seed: int = 0) -> dict[str, Any]:
        job = SweepJob(problem, features, labels, chains, seed, (rows,), truth)
        return judged(run_cell(job, wanted, 0), chains, truth)

    cells = [judged(cell, tried.first.chains, truth) for cell in tried.cells]
    settings, advised = settings.replace(eta0=tried.taken.eta0, i_max=tried.taken.i_max), cells[tried.chosen]
    others = {"continuous": advise(LargeSample(forecast, True)).settings,
              "discrete": advise(LargeSample(forecast, False)).settings,
              "preconditioned": advise(forecast_of("preconditioned", forecast)).settings}
    return {"kind": kind, "rows": rows, "dim": dim, "ess": truth.ess, "sweep_price": sweep["price"],
            "cheapest": sweep["cheapest"], "once": cells[0], "taken": tried.chosen,
            "advised": advised | {"price": sum(cell["price"] for cell in cells)}, "true": run(settings, MANY, SEED),
            "others": {name: run(wanted, CHAINS) for name, wanted in others.items()},
            "at": {str(chains): run(settings, chains) for chains in (FEW_CHAINS, CHAINS)}}


def missing(path: Path, quick: bool) -> dict[str, Callable[[], Data]]:
    have = {one["name"] for one in recorded(path)}
    return {name: make for i, (name, make) in enumerate(streams().items())
            if name not in have and not (quick and i % QUICK)}


def rows_of(records: list[dict[str, Any]]) -> Iterator[Row]:
    def right(cells: list[dict[str, Any]]) -> float:
        return float(np.mean([(cell["verdict"] == "safe") == (one["true"]["verdict"] == "safe")
                              for cell, one in zip(cells, records, strict=True)]))

    with_others = ", ".join(f"{right([one['at'][str(chains)] for one in records]):.3g} with {chains}"
                            for chains in (FEW_CHAINS, CHAINS))
    yield row(f"verdict on the advised setting is right, share of {len(records)} of {len(streams())} streams",
              right([one["advised"] for one in records]), RIGHT, unit="",
              note=f"{ADVISED_CHAINS} chains; {with_others}; it is safe on "
                   f"{sum(one['true']['verdict'] == 'safe' for one in records)}, a sweep has a safe setting on "
                   f"{sum(one['cheapest'] is not None for one in records)}")
    compared = [one for one in records if one["cheapest"] is not None]

    def over(name: str) -> np.ndarray:
        """Return costs over those of the cheapest safe setting; infinite if not safe."""
        cells = [one["others"][name] if name in one["others"] else one[name] for one in compared]
        return np.array([cell["cost"] / one["cheapest"] if cell["verdict"] == "safe" else math.inf
                         for cell, one in zip(cells, compared, strict=True)])

    advised, once = over("advised"), over("once")
    yield row(f"advised setting costs {NEAR:g} times a sweep's cheapest safe one or less, share of {len(compared)}",
              np.mean(advised <= NEAR), CHEAP, unit="", note=f"median {np.median(advised):.2f} times; a later run is "
              f"taken on {sum(one['taken'] > 0 for one in records)}; the first alone {np.mean(once <= NEAR):.3g}, "
              f"{np.median(once):.2f} times")
    yield row("price of the advised setting's runs over the sweep's",
              [one["advised"]["price"] / one["sweep_price"] for one in records], at_most=PRICE,
              note=f"{ADVISED_CHAINS} chains against {CHAINS} a cell")
    for name, words in (("continuous", "law in continuous time (2207.12395)"), ("discrete", "law in steps (2606.00293)"),
                        ("preconditioned", "preconditioned sampler")):
        ratios = over(name)
        yield row(f"{words}: advised setting, run once, is safe and costs {NEAR:g} times or less", np.mean(ratios <= NEAR),
                  unit="", note=f"safe on {np.isfinite(ratios).sum()} of {len(compared)}, the advisor's on "
                                f"{np.isfinite(once).sum()}; median {np.median(ratios):.2f} times")


def keep(path: Path, record: dict[str, Any]) -> dict[str, Any]:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{json.dumps(record)}\n")  # on a new line even after an incomplete one of a stopped run
    return record


def measure(quick: bool) -> Iterator[Row]:
    for package in ("sklearn", "river"):
        if not find_spec(package):
            yield skipped(f"streams of {package}", f"needs {package}: pip install -e .[test]")
    for name, make in missing(RECORD, quick).items():
        record = keep(RECORD, {"name": name, **measured(name, make())})
        advised, true = record["advised"], record["true"]
        print(f"  {name}: {advised['verdict']}, in truth {true['verdict']}; {advised['cost']:.0f} gradients an epoch, the "
              f"cheapest safe of the sweep {record['cheapest'] or math.inf:.0f}", flush=True)
    yield from rows_of([one for one in recorded(RECORD) if one["name"] in streams()])
