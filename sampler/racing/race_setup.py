"""Setup shared by all samplers of a race: the data, the epoch, the start, and the reference."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.results import DivergenceError
from sampler.arguments import seed_number, whole_number
from sampler.metrics.accuracy import uniform_accuracy
from sampler.metrics.ceiling import Ceiling, exact_ceiling
from sampler.problems.base import Problem
from sampler.problems.data_check import check_pair, check_problem
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LinearRegression
from sampler.problems.gradient_oracle import GradientOracle
from sampler.reference.base import gaussian_reference
from sampler.reference.grid_reference import TemperedGrid
from sampler.reference.long_chain import MOST_DRAWS as MOST_REFERENCE_DRAWS
from sampler.reference.long_chain import long_chain_reference
from sampler.settings import Settings, checked_settings
from sampler.theory.gradient_noise import GradientNoise

WARM_STEPS = 60  # maximum number of steps per epoch of the chain that runs the stream before the race
DRAWS = 20_000  # of a sampled reference
ONE_CORE = 1  # threads of every sampler raced: seconds are those of one core


@dataclass(frozen=True, eq=False)
class RaceSetup:
    """One epoch of one problem before its start, and the reference for scoring samplers.

    Attributes
    ----------
    problem : any problem of this library
    data : tuple of arrays
        Arguments of ``observe`` for the rows of epochs 1..t; empty for a GradientOracle.
    t : int
        Epoch that the samplers run.
    settings : Settings
        SAGA-LD's settings; other samplers use the shared ones, and their own step sizes.
    chains, seed : int
    start : (d,) array
        Position of every chain at the start of epoch t.
    largest : float
        Largest eigenvalue of the Hessian of F_t near its mode.
    memories : dict of class to sampler
        One chain of each sampler with memory, at the end of epoch t - 1.
    reference : Reference
        pi_t, exact or sampled; None without scoring.
    ceiling : Ceiling
        Expected accuracy of ``chains`` exact draws.
    noise_share : float
        SGLD's gradient noise over the injected noise at SAGA-LD's step, mean over the Hessian's axes; nan if unknown.
    trouble : str
        Error of the first sampler with memory that diverged on the stream; empty if none did.
    """

    problem: Problem
    data: tuple[Any, ...]
    t: int
    settings: Settings
    chains: int
    seed: int
    start: np.ndarray
    largest: float
    memories: dict[type[Any], Any] = field(default_factory=dict)
    reference: Any = None
    ceiling: Ceiling = Ceiling(1.0, 0.0)
    noise_share: float = float("nan")
    trouble: str = ""

    @property
    def before(self) -> tuple[Any, ...]:
        """Data of epochs 1..t-1, as arguments of ``sampler_at``."""
        return tuple(part[:self.t - 1] for part in self.data) if self.data else (self.t - 1,)

    @property
    def last(self) -> tuple[Any, ...]:
        """The datum that opens epoch t."""
        return tuple(part[self.t - 1] for part in self.data)

    @property
    def posterior(self) -> Any:
        """Posterior F_t."""
        return self.problem.posterior(*self.data) if self.data else self.problem.posterior(self.t)

    def eta0(self, step_size: float) -> float:
        """Return the eta0 that gives ``step_size`` at epoch t."""
        return step_size * (self.t + self.settings.offset)

    def score(self, positions: np.ndarray) -> float:
        """Return the marginal accuracy of ``positions``, (K, d)."""
        return uniform_accuracy(self.reference.cdf(positions))

    @property
    def noise_equal_at(self) -> float:
        """Epoch at which SGLD's gradient noise at SAGA-LD's step size equals the injected noise; the share grows as t."""
        return self.t / self.noise_share


def truth_of(problem: Problem, data: tuple[Any, ...], seed: int = 0, draws: int = DRAWS,
             stop: Callable[[], bool] | None = None) -> Any:
    """Return the reference of F_t: exact by a formula or a grid, else ``draws`` of a long chain; None if stopped.

    ValueError for a GradientOracle, which has no potential: its reference must be passed.
    """
    if isinstance(problem, GradientOracle):
        raise ValueError("reference must be given for a GradientOracle, which has no potential; draw from it with "
                         "your own exact sampler and wrap the draws in a SampleReference")
    if isinstance(problem, GaussianMean | LinearRegression):
        return gaussian_reference(problem.posterior(*data))
    if problem.dim <= 2 and np.all(problem.prior_precision > 0):
        return TemperedGrid(problem.posterior(*data), 1.0)
    return long_chain_reference(problem.posterior(*data), draws=draws, seed=seed, stop=stop)


def memories_of(problem: Problem, data: tuple[Any, ...], t: int, settings: Settings, seed: int,
                warm_steps: int = WARM_STEPS) -> tuple[dict[type[Any], Any], str]:
    """Return one chain of each sampler with memory after epochs 1..t-1, and the error of the first that diverged."""
    memories: dict[type[Any], Any] = {}
    trouble = ""
    kinds = [(OnlineSagaLD, settings)]
    if not PreconditionedSagaLD.refusal(problem):
        knobs = PreconditionedSagaLD.default_settings(problem.dim, settings.batch_size, problem.kind)
        kinds.append((PreconditionedSagaLD, knobs.replace(i_max=warm_steps)))  # the same maximum for both
    start = np.zeros(problem.dim) if problem.kind == "poisson" else None  # rates at a draw from the prior may overflow
    for kind, knobs in kinds:
        sampler = kind(problem, knobs.replace(i_max=min(warm_steps, knobs.i_max)), chains=1, seed=seed, start=start,
                       threads=ONE_CORE)
        try:
            if data:
                sampler.observe(*(part[:t - 1] for part in data))
            else:
                for _ in range(t - 1):
                    sampler.observe()
        except DivergenceError as error:
            trouble = trouble or f"{kind.__name__}: {error}"
            continue
        memories[kind] = sampler
    return memories, trouble


def prepare_race(problem: Problem, data: tuple[Any, ...], settings: Settings, chains: int = 1_000, seed: int = 0,
                 terms: int | None = None, reference: Any = None, draws: int = DRAWS, warm_steps: int = WARM_STEPS,
                 stop: Callable[[], bool] | None = None) -> RaceSetup | None:
    """Run the stream up to its last epoch, as in LMV-n section 5, and compute the reference; None if stopped.

    Parameters
    ----------
    problem, data : as in RaceSetup
        All rows; the last one starts the raced epoch.
    settings : Settings
    chains, seed : int
    terms : int, optional
        Number of terms of a GradientOracle.
    reference : Reference, optional
        Reference for scoring; None computes it.
    draws : int
        Of a sampled reference.
    warm_steps : int
        Maximum number of steps per epoch, before the last, of the chain that provides the start.
    stop : callable, optional
        True ends early, with None.
    """
    check_problem(problem)
    check_pair(problem, data)
    settings, seed = checked_settings(settings), seed_number(seed)
    chains, draws = whole_number("chains", chains, 2, 1_000_000), whole_number("draws", draws, 100, MOST_REFERENCE_DRAWS)
    warm_steps = whole_number("warm_steps", warm_steps, 1, 10**15, "it is the most steps per epoch before the last")
    t = whole_number("terms", terms, 2, 2**31) if not len(data) else len(data[0])
    reference = truth_of(problem, data, seed, draws, stop) if reference is None else reference
    if reference is None or (stop is not None and stop()):
        return None
    posterior, mean = problem.posterior(*(data or (t,))), np.asarray(reference.mean, float)
    hessian = posterior.hessian(mean)
    memories, trouble = memories_of(problem, data, t, settings, seed, warm_steps)
    chain = memories.get(OnlineSagaLD)
    if chain is not None:
        start = chain.positions[0]
    else:  # a typical point: one draw of the reference, or of its normal fit
        rng = np.random.default_rng([seed, 5])
        start = (reference.draws[0] if reference.draws is not None
                 else rng.multivariate_normal(reference.mean, reference.covariance))
    step = settings.step_size(t)  # SGLD's noise is that at the posterior's spread, the limit of small steps
    sgld = GradientNoise.of_posterior(posterior, mean, hessian).stationary(t, 1e-6 * step, settings.batch_size, False)
    share = float(0.5 * step * np.diag(sgld.noise).mean())
    largest = float(np.linalg.eigvalsh(hessian)[-1])
    ceiling = exact_ceiling(chains, reference.dim, None if reference.draws is None else reference.ceiling_draws)
    return RaceSetup(problem, data, t, settings, chains, seed, start, largest, memories, reference,
                     ceiling, share, trouble)
