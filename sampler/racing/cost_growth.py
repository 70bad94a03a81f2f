"""Evaluations to reach an accuracy against T, with log-log slopes: the tables of the papers, measured.

LMV Table 1 (online): the chains stand where a sample of the target may stand; what does epoch T take?
LMV Table 2 and ZXG Table 1 (fixed data): all T data are there, the chains start cold; what does one sample take?
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sampler.algorithms.offline_saga_ld import OfflineSagaLD
from sampler.arguments import choice, positive_number, rising, seed_number, several, shown, switch, whole_number
from sampler.racing.contestants import CONTESTANTS
from sampler.racing.epoch_cost import MOST_ROWS, log_log_slope
from sampler.racing.paper_races import Curves
from sampler.racing.race_setup import RaceSetup, prepare_race
from sampler.racing.sampler_race import race
from sampler.settings import Settings, checked_settings

ONLINE = ("saga", "sgld_quiet", "ula", "mala", "rwm", "saga_fixed", "cv_uld")
COLD = ("ladder", "saga_fixed", "svrg", "svrg_plus", "cv_uld", "sgld_quiet", "ula", "rwm")
LADDER = "ladder"  # LMV Algorithm 3
SHORT_OF_CEILING = 0.045  # the accuracy to reach: 0.90 for 1,000 exact chains
BUDGET = 4_000.0  # most passes over the data
WORK = 4e8  # gradient evaluations of all chains of a sampler at one T


@dataclass(frozen=True, eq=False)
class Growth:
    """Evaluations a chain took to reach the accuracy at each T, (m,) arrays; T at which it never did are left out.

    ``slopes`` (r,) are those of r seeds by themselves; of one seed alone it is empty.
    """

    key: str
    t: np.ndarray
    evaluations: np.ndarray
    slopes: np.ndarray = field(default_factory=lambda: np.empty(0))

    def columns(self) -> dict[str, np.ndarray]:
        """Its points by name, (m,) arrays."""
        return {"t": self.t, "evaluations": self.evaluations}

    @property
    def slope(self) -> float | None:
        """Of log evaluations against log T; None below three points."""
        return log_log_slope(self.t, self.evaluations)

    @property
    def slope_error(self) -> float | None:
        """Standard error of the slope, from the seeds' own slopes; None below two seeds."""
        slopes = np.asarray(self.slopes, float)
        return float(slopes.std(ddof=1) / np.sqrt(slopes.size)) if slopes.size > 1 else None


def over_seeds(runs: Sequence[dict[str, Growth]]) -> Curves:
    """Growth over several seeds: geometric means at every T that all of them reached, and each seed's slope.

    Parameters
    ----------
    runs : sequence of dict
        One result of `growth` a seed.
    """
    means = Curves()
    for key in dict.fromkeys(key for run in runs for key in run):
        if not all(key in run for run in runs):
            continue
        each = [dict(zip(run[key].t.tolist(), run[key].evaluations.tolist(), strict=True)) for run in runs]
        t = np.array(sorted(set.intersection(*map(set, each))))
        if not t.size:
            continue
        spent = np.array([[one[at] for at in t.tolist()] for one in each])
        slopes = [log_log_slope(t, row) for row in spent] if len(runs) > 1 and t.size > 2 else []
        means[key] = Growth(key, t, np.exp(np.log(spent).mean(axis=0)), np.array(slopes, float))
    return means


def growth(make: Callable[[int], tuple[Any, ...]], sizes: Sequence[int], settings: Settings,
           keys: Sequence[str] | None = None,
           cold: bool = False, chains: int = 500, seed: int = 0, work: float = WORK,
           publish: Callable[[dict[str, Growth], float], None] | None = None,
           stop: Callable[[], bool] | None = None) -> Curves:
    """Race to the same accuracy at each T; a dict of Growth by sampler, with ``to_dataframe()``.

    Parameters
    ----------
    make : function
        ``make(T) -> (problem, data)``.
    sizes : sequence of int
        T, rising.
    settings : Settings
        SAGA-LD's. SGLD's step is cut so that its gradient noise stays at a tenth of the injected noise, without
        which it would stop short of the accuracy from some T on.
    keys : sequence of str, optional
        Of ONLINE, or with ``cold`` of COLD; None takes all that run on the problem.
    cold : bool
        Start at zero, without a stream behind, instead of one standard deviation from the mode.
    chains, seed : int
    work : float
        Gradient evaluations all chains of a sampler may take together at one T; Algorithm 3 thrice that, as it is tried
        at several i_max.
    publish : callable, optional
        ``publish(growths so far, share done)``.
    stop : callable, optional
        True ends early.

    Raises
    ------
    ValueError
        For a sampler that there is not.
    """
    if not callable(make):
        raise ValueError(f"make must be a function of T, got {shown(make)}; it returns (problem, data)")
    sizes = rising("sizes", sizes, 2, MOST_ROWS)
    settings, chains, seed = checked_settings(settings), whole_number("chains", chains, 2, 1_000_000), seed_number(seed)
    work = positive_number("work", work, 1e15, "8e8 is some 4 s of one core")
    family = COLD if switch("cold", cold) else ONLINE
    keys = family if keys is None else tuple(choice("keys", key, family) for key in several("keys", keys))
    points: dict[str, list[tuple[int, float]]] = {key: [] for key in keys}

    def grown() -> Curves:
        return Curves({key: Growth(key, *np.array(rows, float).reshape(-1, 2).T) for key, rows in points.items() if rows})

    count = 0
    for t in sizes:
        made = make(t)
        if not isinstance(made, tuple | list) or len(made) != 2:
            raise ValueError(f"make must return (problem, data), got {shown(made)}; data are (features, labels)")
        problem, data = made
        setup = prepare_race(problem, data, settings, chains, seed, stop=stop)
        if setup is None:
            break
        setup = replace(setup, start=np.zeros(problem.dim) if cold else _typical(setup, seed))
        level = setup.ceiling.mean - SHORT_OF_CEILING
        for key in keys:
            if stop is not None and stop():
                return grown()
            if key == LADDER:
                reached = _ladder(setup, level, work, stop)
            elif CONTESTANTS[key].refuses(problem):
                reached = None
            else:
                sure = level + 2.0 * setup.ceiling.sd  # beyond the level, so that the smoothed curve crosses it
                curve = race(setup, [key], BUDGET * t, work=work, until=sure, stop=stop)[key]
                reached = curve.reaches(level)
            if reached is not None:
                points[key].append((t, reached))
            count += 1
            if publish is not None:
                publish(grown(), count / (len(keys) * len(sizes)))
    return grown()


def _typical(setup: RaceSetup, seed: int) -> np.ndarray:
    """A place as likely as any draw, the same in standard units at every T: a draw of its own each would be noise."""
    z: np.ndarray = np.random.default_rng([seed, 11]).standard_normal(setup.problem.dim)
    z *= np.sqrt(z.size) / np.linalg.norm(z)
    return setup.reference.mean + np.linalg.cholesky(setup.reference.covariance) @ z


def _ladder(setup: RaceSetup, level: float, work: float, stop: Callable[[], bool] | None) -> float | None:
    """Least cost of LMV Algorithm 3 that ends at the accuracy, over i_max = 25, 40, ...; None if the work is done before."""
    spent, i_max = 0, 25
    while spent < 3 * work and not (stop is not None and stop()):
        ladder = OfflineSagaLD(setup.settings.eta0, setup.settings.batch_size, i_max)
        run = ladder.sample(setup.problem, *(setup.data or (setup.t,)), chains=setup.chains, seed=setup.seed,
                            start=setup.start, stop=stop)
        if run.stopped:
            return None
        spent += run.gradient_evaluations
        if setup.score(run.positions) >= level:
            return float(run.gradient_evaluations / setup.chains)
        i_max = math.ceil(1.6 * i_max)
    return None
