"""LMV-n section 5 and its Figure 1: the last epoch of a logistic stream, rerun a thousand times by each sampler.

d = 20 and an intercept, T = 1,000, prior N(0, I). Every sampler runs the stream up to t = 999 separately, its state is
saved, and epoch 1,000 is run from there 1,000 times. Marginal accuracy against 1,000 exact draws; 8 data sets.

The reset and the random run length are off at every epoch, as in the paper's runs.

Differs from the paper: its samplers had 0.1 s per epoch; here each has the number of gradient evaluations of SAGA-LD's
``steps``, since a ranking by time depends on the machine. Polya-Gamma stops after 30 sweeps, and 5 in earlier epochs: it
has mixed by then.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from sampler.algorithms.langevin import SGLD
from sampler.algorithms.metropolis import MALA
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.arguments import whole_number
from sampler.draws import installed
from sampler.metrics.accuracy import marginal_accuracy
from sampler.metrics.ceiling import accuracy_ceiling
from sampler.problems.glm import LogisticRegression
from sampler.problems.synthetic_data import synthetic_logistic
from sampler.racing.contestants import CONTESTANTS
from sampler.racing.race_setup import RaceSetup, prepare_race
from sampler.racing.runners import Runner
from sampler.settings import Settings

T, FEATURES, SEEDS = 1_000, 20, 8
SETTINGS = Settings(eta0=0.1, offset=2.0, batch_size=64, reset=False, random_length=False)
PRINTED = {"sgld": 0.442, "online_laplace": 0.571, "mala": 0.901, "pg": 0.921, "saga": 0.921, "laplace": 0.924}
"""Marginal accuracy as LMV-n prints it."""
KEYS = ("sgld", "sgld_same", "online_laplace", "mala", "pg", "saga", "laplace")
SWEEPS = 30
THINNING = 20  # states of the reference chain per stored draw: 1,000 nearly independent ones
PAPER_SECONDS = 0.1  # time per epoch in LMV-n
SWEEPS_BEFORE = 5  # maximum number of sweeps per epoch up to t = 999
ETA0 = {"sgld": 0.02, "sgld_same": 0.1, "mala": 0.2, "pg": 1.0}  # LMV-n: 0.01, -, 0.1 over 1 + 0.5 t
KINDS = {"sgld": SGLD, "sgld_same": SGLD, "mala": MALA, "pg": PolyaGamma}


@dataclass(frozen=True, eq=False)
class FigureOne:
    """Measurements of Figure 1.

    Attributes
    ----------
    steps : int
        SAGA-LD's steps in the last epoch.
    accuracy : dict of str to (r,) array
        Marginal accuracy of each sampler on the first r data sets.
    ceiling : (r,) array
        Expected accuracy of exact draws on these data sets.
    evaluations : dict of str to float
        Gradient evaluations of the last epoch.
    seconds : dict of str to float
        Processor seconds of the last epoch of one chain, mean over the data sets.
    noise_share, noise_equal_at : float
        See RaceSetup; means over the data sets.
    """

    printed: ClassVar[dict[str, float]] = PRINTED  #: marginal accuracy as LMV-n prints it

    steps: int
    accuracy: dict[str, np.ndarray]
    ceiling: np.ndarray
    evaluations: dict[str, float]
    seconds: dict[str, float]
    noise_share: float
    noise_equal_at: float

    @property
    def steps_in_paper_time(self) -> float:
        """Number of SAGA-LD's steps on this machine in 0.1 s, LMV-n's time per epoch."""
        return PAPER_SECONDS / self.seconds["saga"] * self.steps if self.seconds.get("saga") else float("nan")

    def short_of_ceiling(self, key: str) -> np.ndarray:
        """Return the ceiling minus the accuracy on each data set, (r,).

        Parameters
        ----------
        key : str
            One of the figure's samplers.
        """
        return self.ceiling[:len(self.accuracy[key])] - self.accuracy[key]

    def to_dataframe(self) -> Any:
        """Return a pandas DataFrame, one row per sampler and data set; NaN if LMV-n prints no value."""
        return installed("pandas").DataFrame([
            {"sampler": key, "data_set": i, "accuracy": float(accuracy), "ceiling": float(self.ceiling[i]),
             "printed": PRINTED.get(key, np.nan), "evaluations": self.evaluations[key], "seconds": self.seconds[key]}
            for key, values in self.accuracy.items() for i, accuracy in enumerate(values)])


def figure_one(steps: int = 1_000, seeds: int = SEEDS, reruns: int = 1_000,
               publish: Callable[[FigureOne | None, float], None] | None = None,
               stop: Callable[[], bool] | None = None) -> FigureOne | None:
    """Run the experiment; return None if stopped before the end of the first data set.

    Parameters
    ----------
    steps : int in [1, 100000]
        SAGA-LD's steps in the last epoch; every sampler has the same budget of evaluations.
    seeds : int
        Data sets, drawn with the seeds 0, 1, ...
    reruns : int
        Runs of the last epoch, and draws of the reference, in [50, 100000].
    publish : function of (FigureOne or None, float), optional
        Called after each sampler with the figure so far and the completed fraction, in [0, 1].
    stop : function, optional
        Called between parts of the work; once it returns True, the figure so far is returned.

    Raises
    ------
    ValueError
        For a number out of its range.
    """
    steps = whole_number("steps", steps, 1, 100_000)
    seeds, reruns = whole_number("seeds", seeds, 1, 1_000), whole_number("reruns", reruns, 50, 100_000)
    scores = np.empty((seeds, len(KEYS), 3))  # accuracy, evaluations, seconds
    per_set = np.empty((seeds, 3))  # ceiling, noise share, t of equal noise
    figure = None
    for seed in range(seeds):
        features, labels, _ = synthetic_logistic(T, FEATURES, seed=seed)
        setup = prepare_race(LogisticRegression(FEATURES + 1), (features, labels), SETTINGS, reruns, seed,
                             draws=THINNING * reruns, warm_steps=steps, stop=stop)
        if setup is None:
            break
        draws = setup.reference.draws[::THINNING][:reruns]
        for k, key in enumerate(KEYS):
            runner = _run(key, setup, steps, stop)
            if stop is not None and stop():
                return figure
            scores[seed, k] = marginal_accuracy(runner.positions, draws), runner.evaluations, runner.seconds
            if publish is not None and key != KEYS[-1]:
                publish(figure, (seed + (k + 1) / len(KEYS)) / seeds)
        per_set[seed] = accuracy_ceiling(draws, reruns), setup.noise_share, setup.noise_equal_at
        done, means = scores[:seed + 1], scores[:seed + 1].mean(axis=0)
        figure = FigureOne(
            steps, {key: done[:, k, 0].copy() for k, key in enumerate(KEYS)}, per_set[:seed + 1, 0].copy(),
            dict(zip(KEYS, means[:, 1].tolist(), strict=True)), dict(zip(KEYS, means[:, 2].tolist(), strict=True)),
            float(per_set[:seed + 1, 1].mean()), float(per_set[:seed + 1, 2].mean()))
        if publish is not None:
            publish(figure, (seed + 1) / seeds)
    return figure


def _run(key: str, setup: RaceSetup, steps: int, stop: Callable[[], bool] | None) -> Runner:
    """Run the last epoch of one sampler from the end of its own run of the stream."""
    budget = float(steps * SETTINGS.batch_size)
    if key in KINDS:
        own = steps if key.startswith("sgld") else max(1, round(budget / T))
        settings = SETTINGS.replace(eta0=ETA0[key], i_max=min(own, SWEEPS_BEFORE) if key == "pg" else own)
        chain = KINDS[key](setup.problem, settings, chains=1, seed=setup.seed)
        chain.observe(*setup.before)
        setup = replace(setup, start=chain.positions[0], settings=SETTINGS)
    if key == "mala":  # the paper's step, not the race's
        setup = replace(setup, largest=0.7 * setup.problem.dim ** (-1 / 3) * (T + SETTINGS.offset) / ETA0["mala"])
    runner = CONTESTANTS[key].begin(setup)
    opening = runner.evaluations if key in ("saga", "mala") else 0.0  # the newest datum's gradient is not part of a step
    if runner.moving:
        runner.advance(min(budget, SWEEPS * T) if key == "pg" else budget + opening, stop)
    return runner
