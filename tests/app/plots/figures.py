"""Figures of `app.plots` of small synthetic results, for unit tests, the browser test and pictures."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from app import plots
from app.compare.method_map import Column, MethodMap
from sampler.racing import EpochCost, FigureOne, Growth, RaceCurve
from sampler.theory.decomposition import Decomposition
from sampler.tuning import CellKey

AT = np.arange(0, 10_001, 50)
SIZES = np.array([250, 500, 1000, 2000, 4000, 8000])


def stay(rate: float) -> SimpleNamespace:
    """Return a survival curve."""
    share = np.exp(-((AT / 10_000) ** 2) * rate)
    return SimpleNamespace(steps=AT, share=share, low=share - 0.01, high=np.minimum(share + 0.01, 1), level=0.999)


def curve(key: str, half: float, first: float, fixed: bool = False) -> RaceCurve:
    """Return a race's curve that reaches half of the ceiling after `half` evaluations; `half` is the accuracy if fixed."""
    spent = np.array([first]) if fixed else np.geomspace(first, 3e5, 16)
    score = np.array([half]) if fixed else 0.925 * (0.1 + 0.9 * spent / (spent + half))
    return RaceCurve(key, spent, spent * 2e-7, spent / 64, score, 1e-4, 64.0, fixed=fixed)


RACE = {key: curve(key, *rest) for key, *rest in (
    ("saga", 4_000, 64), ("precond", 200, 80), ("sgld", 50_000, 64), ("sgld_same", 4_000, 64), ("mala", 9_000, 2000),
    ("ula", 40_000, 1000), ("rwm", 60_000, 2000), ("pg", 100, 1000), ("laplace", 0.908, 4000, True),
    ("online_laplace", 0.544, 64, True), ("svrg", 12_000, 1200), ("cv_uld", 15_000, 1200))}


def race() -> plots.Lines:
    """Plot a race of twelve samplers."""
    return plots.race(RACE, SimpleNamespace(mean=0.922, sd=0.004), pass_at=1000)


def growth() -> plots.Lines:
    """Plot evaluations against the number of data, with fits."""
    powers = {"saga": 0.05, "sgld_quiet": 1.0, "ula": 1.1, "mala": 1.05, "saga_fixed": 0.98}
    return plots.cost_growth({key: Growth(key, SIZES, (80 + 900 * k) * (SIZES / 250.0) ** power)
                              for k, (key, power) in enumerate(powers.items())})


def growth_close() -> plots.Lines:
    """Plot evaluations with fits that nearly meet at their ends, well before the edge."""
    ends = {"saga": (0.05, 2000), "sgld_quiet": (1.0, 60_000), "mala": (1.0, 230_000), "ula": (1.0, 250_000),
            "rwm": (1.0, 270_000)}
    return plots.cost_growth({key: Growth(key, SIZES, end * (SIZES / SIZES[-1]) ** power)
                              for key, (power, end) in ends.items()})


def epoch_cost() -> plots.Lines:
    """Plot evaluations per epoch against t."""
    t = np.geomspace(100, 100_000, 7)
    return plots.cost_growth({key: EpochCost(key, 40, t, 2560 * (t / 100) ** power, t * 1e-7) for key, power in (
        ("saga", 0.0), ("mala", 1.0), ("svrg", 0.6))}, at=3000)


def exits() -> plots.Lines:
    """Plot survival with all bounds."""
    bounds = {"printed": 2e-9 * AT, "corrected": np.minimum(1, AT / 20.0), "sharp": 0.37 * (AT / 1e4) ** 2,
              "local": 0.12 * (AT / 1e4) ** 2, "rotation": 0.1 * (AT / 1e4) ** 2}
    return (plots.survival(stay(0.1), "free walk", "reference") * plots.survival(stay(0.08))
            * plots.bounds(bounds, steps=AT, measured=stay(0.08), batch=0.05))


def split() -> SimpleNamespace:
    """Return the decomposition of one chain that leaves at its last step."""
    n = 7_200
    pull, drift = -0.6 * np.arange(1, n + 1) / n**2, np.full(n, 0.9 / n)
    noise = np.random.default_rng(0).normal(size=n) * 0.003
    squares = np.concatenate([[0.0], np.cumsum(pull + drift + noise)])
    return SimpleNamespace(chain=12, left=n, parts=Decomposition(pull, drift, noise, np.abs(squares)))


def sums() -> plots.Lines:
    """Plot running sums of one chain."""
    one = split()
    return plots.sums(one.parts, chain=one.chain, left=one.left)


def paths() -> plots.Lines:
    """Plot forty chains, some with exits."""
    steps = np.arange(0, 10_001, 100)
    squares = np.cumsum(np.abs(np.random.default_rng(1).normal(size=(40, steps.size))), 1) * 0.011
    squares[:, 0] = 0.0
    left = np.where((squares >= 1).any(1), steps[(squares >= 1).argmax(1)], 0)
    squares[squares >= 1] = np.nan
    return plots.paths(SimpleNamespace(path_steps=steps, paths=squares, path_exits=left, chains=4000, radius=1.0), lift=8e-5,
                       picked=split(), end=10_000)


def pushes(squared: bool = True) -> plots.Lines:
    """Plot mean pushes by distance."""
    x = (np.arange(24) + 0.5) / 24 * 2.5
    noise = np.random.default_rng(2).normal(size=24) * 0.05
    return plots.pushes(SimpleNamespace(
        distance=x, count=np.full(24, 1000.0), square=2 + noise, square_error=np.full(24, 0.05),
        plain=0.5 / x + noise, plain_error=np.full(24, 0.03)), 2, 2.5, squared=squared)


def promise() -> plots.Lines:
    """Plot bounds on the total variation with measured distances."""
    n = np.linspace(100, 4000, 40)
    return plots.promise(SimpleNamespace(steps=n, promised=np.minimum(1, 0.12 + 12 / np.sqrt(n)), floor=0.03,
                                         lemma=np.minimum(1, 0.17 + 17 / np.sqrt(n)), measured=0.02 + 30 / n))


def good() -> plots.Lines:
    """Plot both good events."""
    t = np.unique(np.geomspace(1, 3000, 80).round())
    return plots.good_events(t, 1 - 0.1 * np.log(t) / 8, 2.0 ** np.arange(12), np.linspace(1, 0.8, 12))


ETAS, LENGTHS = np.array([0.033, 0.059, 0.1, 0.18, 0.32, 0.57, 1, 1.8, 3.1, 5.5, 9.7]), np.array([5, 10, 20, 40, 80, 160])


def score(eta: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Return the accuracy of a setting: cold at one end, hot at the other."""
    return np.clip(0.95 - 0.5 * np.exp(-eta * length / 3) - 0.01 * eta**1.6, 0, 0.945)


def cells() -> list[SimpleNamespace]:
    """Return cells of a sweep in every state."""
    made = []
    for length in LENGTHS[1:]:
        for eta in ETAS:
            lost, early = eta * length > 900, eta > 3 and length > 20
            made.append(SimpleNamespace(
                eta0=float(eta), i_max=int(length), batch_size=9, acceptance_radius=22.0, rung=0 if early else 1,
                rows=64 if early else 256, accuracy=float(score(eta, length)), ceiling=0.946, ceiling_sd=0.004,
                narrowest=0.97, widest=float(1 + 0.1 * eta), lag=0.1, memory=float(np.exp(-eta * length / 4)),
                reset_rate=0.02, cost=9.0 * length, diverged=(0, 12, 3) if lost else None))
    return made


def forecasts() -> dict:
    """Return forecasts of every setting, including the row that was not run."""
    return {CellKey(float(eta), int(length), 9): SimpleNamespace(
        accuracy=float(score(eta, length)), stable=eta * length < 900, narrowest=0.97, widest=float(1 + 0.1 * eta),
        memory=float(np.exp(-eta * length / 4)), cost=9.0 * length, trusted=True) for eta in ETAS for length in LENGTHS}


def tuning_map():
    """Plot the map with contours."""
    etas, lengths = np.geomspace(0.028, 11, 49), np.geomspace(5, 160, 15)
    return map_of_cells() * plots.forecast(score(etas[None, :], lengths[:, None]), etas, lengths, 0.946)


def map_of_cells() -> plots.Cells:
    """Plot the map without contours."""
    run = cells()
    best = next(cell for cell in run if cell.eta0 == 0.57 and cell.i_max == 40)
    return plots.tuning_map(run, forecasts=forecasts(), best=best, chosen=CellKey(0.32, 80, 9), ceiling=0.946)


def tuning_slice() -> plots.Lines:
    """Plot one row of the map."""
    etas = np.geomspace(0.028, 11, 49)
    return plots.tuning_slice(cells(), 40, 9, predicted=(etas, score(etas, 40)), forecasts=forecasts(), chosen=0.57)


def offline() -> dict:
    """Return curves of both offline races."""
    passes = np.concatenate([[0.0], np.geomspace(0.02, 10, 60)])
    at = np.geomspace(0.1, 10, 9)
    made = {}
    for k, key in enumerate(("sgld", "saga", "svrg", "plus", "half", "uld", "ula")):
        exact = 3 * np.exp(-passes * (0.2 + 0.25 * k)) + 0.02 * (1 + k)
        points = np.interp(at, passes, exact) * 1.03
        made[key] = SimpleNamespace(
            passes=passes, exact=exact, point_passes=at, points=points, low=0.9 * points, high=1.1 * points, floor=0.03,
            mean=0.3 + 0.3 * exact, deviation=0.02 + 0 * exact, step_size=1e-3)
    return made


def coresets() -> dict:
    """Return runs of eight optimizers."""
    at, made = np.unique(np.geomspace(1, 50_000, 120).round()), {}
    for k, key in enumerate(("hot_dog", "dog", "dowg", "d_adaptation", "prodigy", "adam_sqrt", "adam_const", "untrained")):
        speed = 0.0 if key == "untrained" else 0.3 / (1 + k)
        z = 14 / (1 + (at / 60) ** (1 + speed) * speed) + 0.015
        rates = np.stack([0.5 * at**-0.5, at**-0.5, 2 * at**-0.5], 1) * (1 + k)
        checks = np.array([[30.0, 2.1], [60.0, 0.4]])
        made[key] = SimpleNamespace(t=50_000, iterations=at, z=z, variance=1 + z, sums=1 + 0.01 * z, norms=9 * at**-0.3 + k,
                                    checks=checks, statistic=checks, rate_iterations=at, rates=rates, hot_at=60, passed=True)
    return made


def coreset_points() -> plots.Lines:
    """Plot a coreset over its data."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 60))
    return plots.coreset_points(x, y, rng.exponential(size=60) * (rng.random(60) > 0.2), positive=rng.random(60) > 0.7,
                                behind=tuple(rng.normal(size=(2, 400))), names=("score x·β", "response y"))


def cloud() -> plots.Lines:
    """Plot chains with their balls."""
    return plots.chains(np.random.default_rng(4).normal(size=(64, 2)), mode=(0.0, 0.0), covariance=np.eye(2),
                        balls={"escape ball": 2.4, "acceptance ball": 1.5})


def printed() -> plots.Lines:
    """Plot Figure 1 with the printed values."""
    rng = np.random.default_rng(5)
    accuracy = {key: 0.9 - 0.05 * k + 0.01 * rng.normal(size=8) for k, key in enumerate(
        ("laplace", "saga", "pg", "mala", "online_laplace", "sgld_same", "sgld"))}
    return plots.paper_figure_one(FigureOne(300, accuracy, np.full(8, 0.93), {}, {}, 0.1, 1e4), FigureOne.printed)


def ladder() -> plots.Lines:
    """Plot a ladder of eleven rungs."""
    betas = [*(2.0**-k for k in range(10, 0, -1)), 1.0]
    return plots.ladder(betas, np.linspace(0.92, 0.94, 11), np.full(11, 0.945), np.full(11, 0.005), plain=0.88)


def ladder_cost() -> plots.Lines:
    """Plot the cost of an unfinished ladder."""
    x = np.linspace(0, 11, 200)
    return plots.ladder_cost(x, 1024 * np.ceil(x) + 9 * x * 100, 1024 * 100 * x, now=100)


def panel() -> plots.Lines:
    """Plot a panel of the Hot DoG paper."""
    line = plots.Line("r = 1", np.geomspace(10, 1e4, 30), np.geomspace(10, 0.1, 30), "ours", width=2.0)
    return plots.coreset_panel([line], level=1.0)


def scores() -> plots.Lines:
    """Plot log scores of a rehearsal."""
    t = np.arange(20, 2000, 20)
    return plots.log_scores(t, -0.5 + 0.1 * np.random.default_rng(6).normal(size=t.size), (1200,))


def methods() -> MethodMap:
    """Return three methods at d = 2 and 11: two good ones, one of them not run everywhere, and one that rejects d = 11."""
    columns = tuple(Column("rare", dim, t) for dim in (2, 11) for t in (100, 1_000))
    error = np.array([[0.05, 0.06, 0.3, 3.0], [0.05, 0.06, np.inf, np.nan], [0.1, 0.1, np.nan, np.nan]])
    runs = np.array([[4, 4, 4, 4], [4, 4, 4, 0], [4, 4, -1, -1]])
    good = np.array([[4, 3, 0, 0], [4, 4, 0, 0], [2, 4, 0, 0]])
    one = np.ones((3, 4))
    made = {"measured": 8, "whole": 300, "seeds": 4, "draws": 512, "version": "1", "date": "2026-01-01", "machine": "m"}
    return MethodMap(made, ("saga", "mala", "pg"), columns, error, 0.9 * one, 1.2 * one, 1e6 * one,
                     np.array([[2.0] * 4, [3.0] * 4, [0.1] * 4]), good, runs, np.full(4, 0.12), np.full(4, 0.13),
                     np.array([[1.5, 1.2, 1.8], [1.2, 1.0, 1.5], [3.0, 2.9, 3.0]]))


FIGURES = {
    "method_map": lambda: plots.method_map(methods(), 2),
    "race": race, "race_seconds": lambda: plots.race(RACE, cost="seconds"), "growth": growth,
    "growth_close": growth_close, "epoch_cost": epoch_cost,
    "paper_figure_one": printed, "survival": exits, "paths": paths, "sums": sums,
    "pushes": pushes, "pushes_plain": lambda: pushes(False), "good_events": good, "promise": promise,
    "tuning_map": tuning_map,
    "tuning_slice": tuning_slice, "log_scores": scores,
    "calibration": lambda: plots.calibration(np.linspace(0, 1, 9), np.linspace(0.05, 0.9, 9)),
    "chains": cloud,
    "convergence": lambda: plots.convergence(offline(), top=3.0),
    "likelihood": lambda: plots.likelihood(offline(), mode=0.31),
    "ladder": ladder, "ladder_cost": ladder_cost,
    "coreset_scores": lambda: plots.coreset_scores(coresets(), lambda t: 500 / t),
    "coreset_variance": lambda: plots.coreset_variance(coresets()), "coreset_norms": lambda: plots.coreset_norms(coresets()),
    "coreset_sums": lambda: plots.coreset_sums(coresets()), "coreset_rates": lambda: plots.coreset_rates(coresets()),
    "hot_start": lambda: plots.hot_start(coresets()), "coreset_points": coreset_points, "coreset_panel": panel,
}
"""Name -> function that returns the figure."""
