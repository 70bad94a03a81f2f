"""ZXG's figures on fixed data, against passes over them: test negative log-likelihood (3 and 4), W2 to a Gaussian (1 and 2).

split = split_table(read_table("my.csv"), train=600, seed=0)      # or generated_split(...)
curves = likelihood_race(split, svrg_family(len(split.train_labels)), passes=10, chains=10)

experiment = gaussian_experiment(50_000)                          # exact recursions as lines, simulated chains as points
curves = wasserstein_race(experiment, svrg_family(50_000, step_size=0.0113), passes=np.linspace(0, 5, 101))
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sampler.algorithms.offline_langevin import OfflineSGLD, SagaLD, SvrgLD
from sampler.algorithms.offline_sampler import OfflineSampler
from sampler.algorithms.results import Checkpoint, OfflineResult
from sampler.arguments import choice, instance_of, real_array, real_number, seed_number, shown, whole_number
from sampler.draws import Draws, HasDraws
from sampler.kernels.synthetic_stream import PAPER_SPARSITY
from sampler.metrics.accuracy import negative_log_likelihood
from sampler.problems.glm import LogisticRegression
from sampler.problems.synthetic_data import synthetic_logistic
from sampler.racing.accuracy_race import Curves
from sampler.streams.tables import Split, Table, split_table
from sampler.theory.gaussian_recursions import GaussianExperiment, chains_wasserstein
from sampler.theory.svrg_theorem import MOST_PASSES


def svrg_family(n: int, step_size: float | None = None, batch_size: int = 1,
                shares: Sequence[int] = (5,)) -> dict[str, OfflineSampler]:
    """Return ZXG's four samplers: SGLD, SAGA-LD, SVRG-LD and SVRG-LD+ with B = n/share (Figure 4: several shares)."""
    n = whole_number("n", n, 1, 2**62)
    family = {"SGLD": OfflineSGLD(step_size, batch_size), "SAGA-LD": SagaLD(step_size, batch_size),
              "SVRG-LD": SvrgLD(step_size, batch_size)}
    for share in shares:
        share = whole_number("shares", share, 2, 2**62)
        family[f"SVRG-LD+ B = n/{share}"] = SvrgLD(step_size, batch_size, max(1, n // share))
    return family


def _check_samplers(samplers: Mapping[str, OfflineSampler]) -> None:
    """Raise a ValueError unless ``samplers`` are samplers on fixed data by name, one or more."""
    wrong = not isinstance(samplers, Mapping) or not samplers
    if wrong or not all(isinstance(sampler, OfflineSampler) for sampler in samplers.values()):
        raise ValueError(f"samplers must hold at least one, by name, got {shown(samplers)}; svrg_family(n) gives ZXG's")


def _each_sampler(samplers: Mapping[str, OfflineSampler], progress: Callable[[str, float], None] | None,
                  stop: Callable[[], bool] | None) -> Iterator[tuple[str, OfflineSampler, Callable[..., None]]]:
    """Yield name, sampler and a function that reports the sampler's completed fraction to ``progress``, until stopped."""
    for i, (name, sampler) in enumerate(samplers.items()):
        if stop is not None and stop():
            return

        def report(share: float, _: Checkpoint | None = None, done: int = i, name: str = name) -> None:
            if progress is not None:
                progress(name, (done + share) / len(samplers))

        yield name, sampler, report


@dataclass(frozen=True, eq=False)
class LikelihoodCurve(HasDraws):
    """Test negative log-likelihood of one sampler against passes.

    Attributes
    ----------
    name : str
    passes : (P,) array
    mean, deviation : (P,) arrays
        Of the test negative log-likelihood per row, over the chains.
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
        """Return the points by name, (P,) arrays."""
        return {"passes": self.passes, "mean": self.mean, "deviation": self.deviation}

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """Return the final positions of the chains, ``run.draws``.

        Parameters
        ----------
        names : sequence of str, optional
            Of the coefficients, one per dimension; None numbers them.
        """
        return self.run.draws(names)


def generated_split(n: int, dim: int = 20, seed: int = 0, train: float | int = 0.75) -> Split:
    """Return the paper's logistic stream (intercept last), split, for a race without a file.

    Parameters
    ----------
    n : int >= 2
        Total number of rows.
    dim : int >= 1
    seed : int >= 0
        The same seed gives the same data.
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
    """Run each sampler on the training rows and score it on the test rows; return a dict of LikelihoodCurve by name.

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
        None uses zero, where the score is log 2.
    average : "path" or "position"
        Score the mean of each chain's positions so far (ZXG's sample path average), or the position itself.
    progress : callable, optional
        ``progress(name, fraction)``, the fraction of the whole race.
    stop : callable, optional
        True ends the race; the curves so far are returned, the last one truncated.
    """
    instance_of("split", split, Split, "make one with split_table")
    average, seed = choice("average", average, ("path", "position")), seed_number(seed)
    _check_samplers(samplers)
    problem = LogisticRegression(split.train_features.shape[1], prior_precision)
    test = problem.posterior(split.test_features, split.test_labels)
    for sampler in samplers.values():
        sampler.plan(len(split.train_labels))  # every sampler is checked before the first one runs
    start = np.zeros(problem.dim) if start is None else start
    curves = Curves()
    for name, sampler, report in _each_sampler(samplers, progress, stop):
        run = sampler.sample(problem, split.train_features, split.train_labels, passes=passes, record=record,
                             chains=chains, seed=seed, start=start, progress=report, stop=stop)
        scores = np.array([negative_log_likelihood(
            problem, test.features, test.labels, c.path_means if average == "path" else c.positions)
            for c in run.trace]).reshape(len(run.trace), chains)
        curves[name] = LikelihoodCurve(name, np.array([c.passes for c in run.trace]), scores.mean(axis=1),
                                       scores.std(axis=1), scores, run.step_size, run)
    return curves


@dataclass(frozen=True, eq=False)
class WassersteinCurve:
    """Exact W2 of one sampler against passes, and W2 of its simulated chains.

    Attributes
    ----------
    name : str
    passes, exact : (P,) arrays
        W2 of one chain's law to the target, by the exact recursions; inf once it has diverged.
    step_size : float
    point_passes, points : (Q,) arrays
        W2 of the Gaussian with K simulated chains' moments.
    floor : float
        W2 of K exact draws: points below about twice the floor are not informative.
    """

    name: str
    passes: np.ndarray
    exact: np.ndarray
    step_size: float | None
    point_passes: np.ndarray
    points: np.ndarray
    floor: float

    def columns(self) -> dict[str, np.ndarray]:
        """Return the exact W2 by name, (P,) arrays."""
        return {"passes": self.passes, "wasserstein": self.exact}


def wasserstein_race(experiment: GaussianExperiment, samplers: Mapping[str, OfflineSampler], passes: Sequence[float],
                     *, tune_at: float | None = None, chains: int = 0, point_passes: Sequence[float] = (),
                     seed: int = 0, progress: Callable[[str, float], None] | None = None,
                     stop: Callable[[], bool] | None = None) -> Curves:
    """Compute the exact W2 of each sampler at ``passes``, and of simulated chains at ``point_passes``, as a dict by name.

    Parameters
    ----------
    experiment : GaussianExperiment
    samplers : dict of name -> OfflineSGLD, SagaLD or SvrgLD
        For instance ``svrg_family(n, step_size)``.
    passes : (P,) floats >= 0
    tune_at : float, optional
        Number of passes at which the step size of each sampler is optimized, replacing its own.
    chains : int >= 0
        Number K of simulated chains, above d, or 0 for exact W2 only. SAGA-LD stores K n d numbers.
    point_passes : increasing floats
    seed, progress, stop
        As in likelihood_race.

    Raises
    ------
    ValueError
        For passes that are negative or not finite, and a number of chains that is neither 0 nor above d.
    """
    instance_of("experiment", experiment, GaussianExperiment, "make one with gaussian_experiment")
    _check_samplers(samplers)
    seed, along, at = seed_number(seed), _passes("passes", passes), _passes("point_passes", point_passes)
    if tune_at is not None:
        tune_at = real_number("tune_at", tune_at, "1 reads every datum once", least=0.0, most=MOST_PASSES)
    chains = whole_number("chains", chains, 0, 1_000_000)
    if chains and not len(experiment.start) < chains:
        raise ValueError(f"chains must be 0 or above d = {len(experiment.start)}, got {chains}; 2,000 give points "
                         "that are informative above a W2 of about 0.3")
    curves = Curves()
    for name, sampler, report in _each_sampler(samplers, progress, stop):
        if tune_at is not None:
            sampler = replace(sampler, step_size=experiment.best_step_size(sampler, tune_at))
        exact = np.array([experiment.wasserstein(sampler, p) for p in along])
        points, floor = np.empty(0), float("nan")
        if chains and at.size:
            run = sampler.sample(experiment.problem, experiment.data, passes=max(float(at[-1]), 1e-9), record=at.tolist(),
                                 chains=chains, seed=seed, start=experiment.start, stop=stop, progress=report)
            scores = [chains_wasserstein(c.positions, experiment) for c in run.trace]
            points, floor = np.array([s for s, _ in scores]), scores[0][1] if scores else floor
        else:
            report(1.0)
        curves[name] = WassersteinCurve(name, along, exact, sampler.step_size, at[:len(points)], points, floor)
    return curves


def _passes(name: str, values: Sequence[float]) -> np.ndarray:
    """Return checked numbers of passes, (P,)."""
    wanted, advice = f"finite, from 0 to {MOST_PASSES:g}", "one number per point of a line"
    passes = real_array(name, values, f"numbers, {wanted}", advice)
    if passes.ndim != 1 or not np.all((passes >= 0) & (passes <= MOST_PASSES)):
        raise ValueError(f"{name} must be {wanted}, got {shown(values)}; {advice}")
    return passes
