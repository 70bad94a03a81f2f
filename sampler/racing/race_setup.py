"""Setup that all samplers of a race share: the data, the epoch, the start, and the truth."""

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

WARM_STEPS = 60  # most steps an epoch of the one chain that runs the stream before the race
DRAWS = 20_000  # of a sampled truth
ONE_CORE = 1  # threads of every sampler raced: seconds are those of one core


@dataclass(frozen=True, eq=False)
class RaceSetup:
    """One epoch of one problem, about to open, and the truth by which samplers are scored.

    Attributes
    ----------
    problem : any problem of this library
    data : tuple of arrays
        Arguments of ``observe`` for the rows of epochs 1..t; empty for a GradientOracle.
    t : int
        Epoch that the samplers run.
    settings : Settings
        SAGA-LD's knobs; other samplers take what they share, and steps of their own.
    chains, seed : int
    start : (d,) array
        Where every chain stands as epoch t opens.
    largest : float
        Largest eigenvalue of the Hessian of F_t near its mode.
    memories : dict of class to sampler
        One chain of each sampler with memory, at the end of epoch t - 1.
    reference : Reference
        pi_t, exact or drawn; None where nothing is scored.
    ceiling : Ceiling
        What ``chains`` exact draws would score.
    noise_share : float
        SGLD's gradient noise over the injected noise at SAGA-LD's step, mean over the Hessian's axes; nan if unknown.
    trouble : str
        Why SAGA-LD's own run of the stream failed; empty when it did not.
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
        """Data of epochs 1..t-1, as ``sampler_at`` takes them."""
        return tuple(part[:self.t - 1] for part in self.data) if self.data else (self.t - 1,)

    @property
    def last(self) -> tuple[Any, ...]:
        """The datum that opens epoch t."""
        return tuple(part[self.t - 1] for part in self.data)

    @property
    def posterior(self) -> Any:
        """F_t."""
        return self.problem.posterior(*self.data) if self.data else self.problem.posterior(self.t)

    def eta0(self, step_size: float) -> float:
        """The eta0 whose step at epoch t is ``step_size``."""
        return step_size * (self.t + self.settings.offset)

    def score(self, positions: np.ndarray) -> float:
        """Marginal accuracy of (K, d) positions."""
        return uniform_accuracy(self.reference.cdf(positions))

    @property
    def noise_equal_at(self) -> float:
        """T at which SGLD's gradient noise at SAGA-LD's step equals the injected noise: the share grows as t."""
        return self.t / self.noise_share


def truth_of(problem: Problem, data: tuple[Any, ...], seed: int = 0, draws: int = DRAWS,
             stop: Callable[[], bool] | None = None) -> Any:
    """The reference of F_t: exact where a formula or a grid gives it, else ``draws`` of a long chain; None if stopped.

    ValueError for a GradientOracle, which has no potential: its law must be handed over.
    """
    if isinstance(problem, GradientOracle):
        raise ValueError("reference must be given for a GradientOracle, which knows no potential; draw from it with "
                         "your own exact sampler and wrap the draws in a SampleReference")
    if isinstance(problem, GaussianMean | LinearRegression):
        return gaussian_reference(problem.posterior(*data))
    if problem.dim <= 2 and np.all(problem.prior_precision > 0):
        return TemperedGrid(problem.posterior(*data), 1.0)
    return long_chain_reference(problem.posterior(*data), draws=draws, seed=seed, stop=stop)


def memories_of(problem: Problem, data: tuple[Any, ...], t: int, settings: Settings, seed: int,
                warm_steps: int = WARM_STEPS) -> tuple[dict[type[Any], Any], str]:
    """One chain of each sampler with memory after epochs 1..t-1, and what went wrong with SAGA-LD's."""
    memories: dict[type[Any], Any] = {}
    trouble = ""
    kinds = [(OnlineSagaLD, settings)]
    if not PreconditionedSagaLD.refusal(problem):
        knobs = PreconditionedSagaLD.default_settings(problem.dim, settings.batch_size, problem.kind)
        kinds.append((PreconditionedSagaLD, knobs.replace(i_max=warm_steps)))  # both go as far
    start = np.zeros(problem.dim) if problem.kind == "poisson" else None  # rates of a draw from the prior may explode
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
    """Run the stream up to its last epoch, as LMV-n section 5 does, and find the truth; None when stopped.

    Parameters
    ----------
    problem, data : as in RaceSetup
        All rows; the last one opens the epoch that is raced.
    settings : Settings
    chains, seed : int
    terms : int, optional
        Number of terms of a GradientOracle.
    reference : Reference, optional
        The truth; None finds it.
    draws : int
        Of a truth that must be drawn.
    warm_steps : int
        Most steps in each epoch before the last, of the chain whose place all others start from.
    stop : callable, optional
        True ends early, with None.
    """
    check_problem(problem)
    check_pair(problem, data)
    settings, seed = checked_settings(settings), seed_number(seed)
    chains, draws = whole_number("chains", chains, 2, 1_000_000), whole_number("draws", draws, 100, MOST_REFERENCE_DRAWS)
    warm_steps = whole_number("warm_steps", warm_steps, 1, 10**15, "the chain that all start from makes so many an epoch")
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
    else:  # a place as likely as any: one draw of the truth, or of its normal fit
        rng = np.random.default_rng([seed, 5])
        start = (reference.draws[0] if reference.draws is not None
                 else rng.multivariate_normal(reference.mean, reference.covariance))
    step = settings.step_size(t)  # SGLD's noise is that at the posterior's own spread, as a vanishing step has it
    sgld = GradientNoise.of_posterior(posterior, mean, hessian).stationary(t, 1e-6 * step, settings.batch_size, False)
    share = float(0.5 * step * np.diag(sgld.noise).mean())
    largest = float(np.linalg.eigvalsh(hessian)[-1])
    ceiling = exact_ceiling(chains, reference.dim, None if reference.draws is None else reference.ceiling_draws)
    return RaceSetup(problem, data, t, settings, chains, seed, start, largest, memories, reference,
                     ceiling, share, trouble)
