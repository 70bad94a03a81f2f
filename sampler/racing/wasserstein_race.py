"""ZXG's Figures 1 and 2: W2 against passes over the data, exact recursions as lines, simulated chains as points.

experiment = gaussian_experiment(50_000)
curves = wasserstein_race(experiment, svrg_family(50_000, step_size=0.0113), passes=np.linspace(0, 5, 101))
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sampler.algorithms.offline_sampler import OfflineSampler
from sampler.arguments import instance_of, real_array, real_number, seed_number, shown, whole_number
from sampler.racing.race_curves import Curves, check_samplers, in_turn
from sampler.theory.gaussian_recursions import GaussianExperiment, chains_wasserstein
from sampler.theory.svrg_theorem import MOST_PASSES


@dataclass(frozen=True, eq=False)
class WassersteinCurve:
    """One sampler's line, and its points where chains were simulated.

    Attributes
    ----------
    name : str
    passes, exact : (P,) arrays
        W2 of one chain's law to the target, by the exact recursions; inf once it has diverged.
    step_size : float
    point_passes, points : (Q,) arrays
        W2 of the Gaussian with K simulated chains' moments.
    floor : float
        What K exact draws would score: points below about twice it say nothing.
    """

    name: str
    passes: np.ndarray
    exact: np.ndarray
    step_size: float | None
    point_passes: np.ndarray
    points: np.ndarray
    floor: float

    def columns(self) -> dict[str, np.ndarray]:
        """Its line by name, (P,) arrays."""
        return {"passes": self.passes, "wasserstein": self.exact}


def wasserstein_race(experiment: GaussianExperiment, samplers: Mapping[str, OfflineSampler], passes: Sequence[float],
                     *, tune_at: float | None = None, chains: int = 0, point_passes: Sequence[float] = (),
                     seed: int = 0, progress: Callable[[str, float], None] | None = None,
                     stop: Callable[[], bool] | None = None) -> Curves:
    """Exact W2 of each sampler at each of ``passes``, and of simulated chains at ``point_passes``; a dict by name.

    Parameters
    ----------
    experiment : GaussianExperiment
    samplers : dict of name -> OfflineSGLD, SagaLD or SvrgLD
        For instance ``svrg_family(n, step_size)``.
    passes : (P,) floats >= 0
    tune_at : float, optional
        Give each sampler its own best step size for this many passes, whatever it came with.
    chains : int >= 0
        K simulated chains, more than d, or 0 for lines alone. SAGA-LD keeps K n d numbers.
    point_passes : floats in rising order
    seed, progress, stop
        As in likelihood_race.

    Raises
    ------
    ValueError
        For passes that are negative or not finite, and a number of chains that is neither 0 nor above d.
    """
    instance_of("experiment", experiment, GaussianExperiment, "make one with gaussian_experiment")
    check_samplers(samplers)
    seed, along, at = seed_number(seed), _passes("passes", passes), _passes("point_passes", point_passes)
    if tune_at is not None:
        tune_at = real_number("tune_at", tune_at, "1 reads every datum once", least=0.0, most=MOST_PASSES)
    chains = whole_number("chains", chains, 0, 1_000_000)
    if chains and not len(experiment.start) < chains:
        raise ValueError(f"chains must be 0 or above d = {len(experiment.start)}, got {chains}; 2,000 give points "
                         "that mean something above a W2 of about 0.3")
    curves = Curves()
    for name, sampler, tell in in_turn(samplers, progress, stop):
        if tune_at is not None:
            sampler = replace(sampler, step_size=experiment.best_step_size(sampler, tune_at))
        exact = np.array([experiment.wasserstein(sampler, p) for p in along])
        points, floor = np.empty(0), float("nan")
        if chains and at.size:
            run = sampler.sample(experiment.problem, experiment.data, passes=max(float(at[-1]), 1e-9), record=at.tolist(),
                                 chains=chains, seed=seed, start=experiment.start, stop=stop, progress=tell)
            scores = [chains_wasserstein(c.positions, experiment) for c in run.trace]
            points, floor = np.array([s for s, _ in scores]), scores[0][1] if scores else floor
        else:
            tell(1.0)
        curves[name] = WassersteinCurve(name, along, exact, sampler.step_size, at[:len(points)], points, floor)
    return curves


def _passes(name: str, values: Sequence[float]) -> np.ndarray:
    """Checked numbers of passes, (P,)."""
    wanted, advice = f"finite, from 0 to {MOST_PASSES:g}", "one number for each point of a line"
    passes = real_array(name, values, f"numbers, {wanted}", advice)
    if passes.ndim != 1 or not np.all((passes >= 0) & (passes <= MOST_PASSES)):
        raise ValueError(f"{name} must be {wanted}, got {shown(values)}; {advice}")
    return passes
