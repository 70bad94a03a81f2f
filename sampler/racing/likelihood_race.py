"""ZXG's Figures 3 and 4: test negative log-likelihood of the running average against passes over the data.

split = split_table(read_table("my.csv"), train=600, seed=0)      # or generated_split(...)
curves = likelihood_race(split, svrg_family(len(split.train_labels)), passes=10, chains=10)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.offline_sampler import OfflineSampler
from sampler.algorithms.results import OfflineResult
from sampler.arguments import choice, instance_of, seed_number, whole_number
from sampler.draws import Draws, HasDraws
from sampler.kernels.synthetic_stream import PAPER_SPARSITY
from sampler.metrics.accuracy import negative_log_likelihood
from sampler.problems.glm import LogisticRegression
from sampler.problems.synthetic_data import synthetic_logistic
from sampler.racing.race_curves import Curves, check_samplers, in_turn
from sampler.streams.tables import Split, Table, split_table


@dataclass(frozen=True, eq=False)
class LikelihoodCurve(HasDraws):
    """One sampler's curve.

    Attributes
    ----------
    name : str
    passes : (P,) array
    mean, deviation : (P,) arrays
        Test negative log-likelihood a row, over the chains.
    by_chain : (P, K) array
    step_size : float
    run : OfflineResult
    """

    name: str
    passes: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    by_chain: np.ndarray
    step_size: float
    run: OfflineResult

    def columns(self) -> dict[str, np.ndarray]:
        """Its points by name, (P,) arrays."""
        return {"passes": self.passes, "mean": self.mean, "deviation": self.deviation}

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """Where the chains ended, ``run.draws``.

        Parameters
        ----------
        names : sequence of str, optional
            Of the coefficients, one a dimension; None numbers them.
        """
        return self.run.draws(names)


def generated_split(n: int, dim: int = 20, seed: int = 0, train: float | int = 0.75) -> Split:
    """The paper's logistic stream (intercept last), split: for a race without a file.

    Parameters
    ----------
    n : int >= 2
        Rows in all.
    dim : int >= 1
    seed : int >= 0
        Same seed, same numbers.
    train : float in (0, 1) or int
        Share or number of training rows.
    """
    dim = whole_number("dim", dim, 1, 100_000)
    sparsity = min(PAPER_SPARSITY, dim / 2)  # few features must vary too
    features, labels, _ = synthetic_logistic(n, dim, sparsity, seed)
    names = (*(f"x{j + 1}" for j in range(dim)), "intercept")
    return split_table(Table(features, labels, names, "generated", (0.0, 1.0)), train, seed, False, False)


def likelihood_race(split: Split, samplers: Mapping[str, OfflineSampler], *, prior_precision: float = 1.0,
                    passes: float = 10.0, record: Sequence[float] | None = None, chains: int = 10, seed: int = 0,
                    start: Any = None, average: str = "path", progress: Callable[[str, float], None] | None = None,
                    stop: Callable[[], bool] | None = None) -> Curves:
    """Run each sampler on the training rows and score it on the test rows; a dict of LikelihoodCurve by name.

    Parameters
    ----------
    split : Split
        Labels 0 and 1, both in the training rows unless the prior is proper.
    samplers : dict of name -> OfflineSampler
        For instance ``svrg_family(n)``.
    prior_precision : float
        Of the coefficients' Gaussian prior. ZXG's N(0, lambda I) has precision 1/lambda; their text prints
        ||beta||^2/lambda, twice its potential.
    passes, record, chains, seed
        As in OfflineSampler.sample; ZXG average 10 runs, which are 10 chains here.
    start : (d,) or (chains, d) array, optional
        None is zero, where the score is log 2.
    average : "path" or "position"
        Score the mean of each chain's positions so far (ZXG's sample path average), or the position itself.
    progress : callable, optional
        ``progress(name, fraction of the whole race)``.
    stop : callable, optional
        True ends the race; curves done by then are returned, the last one cut.
    """
    instance_of("split", split, Split, "make one with split_table")
    average, seed = choice("average", average, ("path", "position")), seed_number(seed)
    check_samplers(samplers)
    problem = LogisticRegression(split.train_features.shape[1], prior_precision)
    test = problem.posterior(split.test_features, split.test_labels)
    for sampler in samplers.values():
        sampler.plan(len(split.train_labels))  # every name is checked before the first one runs
    start = np.zeros(problem.dim) if start is None else start
    curves = Curves()
    for name, sampler, tell in in_turn(samplers, progress, stop):
        run = sampler.sample(problem, split.train_features, split.train_labels, passes=passes, record=record,
                             chains=chains, seed=seed, start=start, progress=tell, stop=stop)
        scores = np.array([negative_log_likelihood(
            problem, test.features, test.labels, c.path_means if average == "path" else c.positions)
            for c in run.trace]).reshape(len(run.trace), chains)
        curves[name] = LikelihoodCurve(name, np.array([c.passes for c in run.trace]), scores.mean(axis=1),
                                       scores.std(axis=1), scores, run.step_size, run)
    return curves
