"""Samplers of the race, each with its step size and its start of the epoch.

No step size is tuned by hand. SAGA-LD, SGLD and the SVRG family use SAGA-LD's eta_t = eta0/(t+c), and a second SGLD uses a
fifth of it, LMV-n's SGLD step. The others depend on the largest curvature L of F_t at its mode: ULA 0.1/L (5 % too wide in
the steepest direction), MALA 0.7 d^(-1/3)/L and random-walk Metropolis 2.8/(d L), with the usual scaling in d for a
moderate acceptance rate, Zig-Zag 0.5/L, a time of L^(-1/2) between two positions. NUTS adapts its step size; MH-SS uses the
posterior's shape. Gaussian fits have none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sampler.algorithms.cv_sgld import CvSGLD
from sampler.algorithms.cv_uld import CvULD
from sampler.algorithms.ibis import IBIS
from sampler.algorithms.langevin import SGLD, ULA
from sampler.algorithms.laplace import Laplace, OnlineLaplace
from sampler.algorithms.metropolis import MALA, MetropolisSampler, RandomWalkMetropolis
from sampler.algorithms.offline_langevin import SagaLD, SvrgLD
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.recursive_vga import RecursiveVGA
from sampler.algorithms.sampler_copies import copies_of, sampler_at
from sampler.algorithms.saved_sampler import SavedSampler
from sampler.algorithms.subsampled_metropolis import SubsampledMetropolis
from sampler.algorithms.warm_laplace import MOST_REFIT, WarmLaplace, next_refit
from sampler.algorithms.zigzag import MOST_DIMENSIONS, ZigZag
from sampler.arguments import has_parts, shown
from sampler.problems.base import Problem
from sampler.problems.glm import GLM_KINDS
from sampler.racing.nuts import PRICE, NutsRunner, missing
from sampler.racing.race_setup import ONE_CORE, RaceSetup
from sampler.racing.runners import FitRunner, FixedRunner, MeasuredRunner, Runner, StreamRunner
from sampler.settings import Settings
from sampler.threads import one_blas_thread

ENDLESS = {"i_max": 10**15, "random_length": False, "reset": False}  # the race ends the epoch
ANY, GLM = OnlineSagaLD.kinds, tuple(GLM_KINDS)
LONG = 20_000
TRIAL = 200  # steps of all chains together to estimate the cost of one
PLUS = 5  # SVRG-LD+'s anchor takes a fifth of the data
PG_PRICE = 25.0  # gradient evaluations in the time of one Polya-Gamma draw: 127 ns against 5 at d = 21


@dataclass(frozen=True)
class Contestant:
    """One sampler of the race.

    Attributes
    ----------
    key : str
    kinds : tuple of str
        Kinds of problem it can run on.
    needs : str
        Requirement that other kinds do not meet.
    begin : function
        ``begin(setup) -> Runner`` at the start of epoch ``setup.t``.
    bias : str
        Bias in the limit of long runs, as text; empty for none.
    proper : bool
        Whether it needs a prior of positive precision.
    curved : bool
        Whether it needs the curvature of a GradientOracle.
    price : float
        Cost of one of its evaluations, in gradient evaluations: a constant, so that the length of a race does not
        depend on the machine.
    growth : str
        Growth of an epoch's cost with t, as text, if it is known and takes too long to measure.
    most_dimensions : int, optional
        Largest dimension; None for no limit.
    missing : function
        ``missing()`` returns what is not installed and how to install it; empty if it can run.
    """

    key: str
    kinds: tuple[str, ...]
    needs: str
    begin: Callable[[RaceSetup], Runner]
    bias: str
    proper: bool = False
    price: float = 1.0
    growth: str = ""
    missing: Callable[[], str] = str
    curved: bool = False
    most_dimensions: int | None = None

    def refuses(self, problem: Problem) -> str:
        """Return why it cannot run on ``problem``; empty if it can."""
        unlike = problem.kind not in self.kinds or (self.curved and problem.kind == "oracle" and problem.curvatures is None)
        if unlike or (self.most_dimensions is not None and problem.dim > self.most_dimensions):
            return f"needs {self.needs}"
        if self.proper and problem.kind in GLM_KINDS and not np.all(problem.prior_precision > 0):
            return "needs a prior in every coordinate"
        lacking = self.missing()
        return f"needs {lacking}" if lacking else ""


def _load_kernel(sampler: Any, datum: tuple[Any, ...]) -> None:
    """Make one step: the first call of a kernel loads or compiles it, which is not part of the cost."""
    sampler.arrive(*datum)
    sampler.advance(1)


def _from_memory(kind: type[Any], setup: RaceSetup) -> Runner:
    if kind not in setup.memories:
        raise ValueError(f"eta0 is too large: {kind.__name__} diverged on the stream; "
                         "lower eta0")
    _load_kernel(copies_of(setup.memories[kind], 1, 0, None, **ENDLESS), setup.last)
    copies = copies_of(setup.memories[kind], setup.chains, setup.seed, setup.start, **ENDLESS)
    eta = copies.settings.eta0 if kind is PreconditionedSagaLD else copies.settings.step_size(setup.t)
    return StreamRunner(copies, setup.last, copies.settings.batch_size, eta)


def _endless(setup: RaceSetup, eta: float) -> Settings:
    """Return the settings of an epoch that the race ends, with step size ``eta`` (NaN: none)."""
    return setup.settings.replace(eta0=setup.eta0(eta) if np.isfinite(eta) else 1.0, **ENDLESS)


def from_setup(kind: type[Any], step: Callable[[RaceSetup], float]) -> Callable[[RaceSetup], Runner]:
    """Return the ``begin`` of a `Contestant`: a stream sampler that starts epoch ``setup.t`` from the data before it.

    Parameters
    ----------
    kind : type
        A `StreamSampler`.
    step : callable
        ``step(setup)``, the step size of the epoch; NaN for a sampler without one.

    Raises
    ------
    ValueError
        For another kind, and for a step rule that is not callable.
    """
    if not (isinstance(kind, type) and issubclass(kind, SavedSampler)):
        raise ValueError(f"kind must be a class made from StreamSampler, got {shown(kind)}; give the class, not an instance")
    has_parts("step", step, ("__call__",), "give a function of the RaceSetup, such as lambda s: 0.1 / s.largest")
    def begin(setup: RaceSetup) -> Runner:
        eta = step(setup)
        settings = _endless(setup, eta)
        if setup.data:
            _load_kernel(kind(setup.problem, settings, chains=1, start=setup.start), tuple(part[0] for part in setup.data))
        sampler = sampler_at(kind, setup.problem, setup.before, settings, setup.chains, setup.seed, setup.start,
                             ONE_CORE)
        cost = setup.settings.batch_size if kind is SGLD else setup.t
        return StreamRunner(sampler, setup.last, cost, eta)

    return begin


def _controlled(kind: type[Any], step: Callable[[RaceSetup], float], setup: RaceSetup) -> Runner:
    """Start a sampler with its control point after epoch t - 1; a few steps of a copy estimate the cost of one.

    Refits are excluded from the cost of epoch t: shared by all chains and by the data up to the next one, they take about
    ten gradients per datum for all chains together, less than one per chain.
    """
    eta = step(setup)
    settings = _endless(setup, eta)
    sampler: Any = sampler_at(kind, setup.problem, setup.before, settings, setup.chains, setup.seed, setup.start, ONE_CORE)
    with one_blas_thread():
        for t in (1 << (setup.t - 1).bit_length() - 1, setup.t - 1):
            sampler.follow(t)
    trial = kind.from_snapshot(sampler.snapshot(), threads=ONE_CORE)
    trial.arrive(*setup.last)
    before = trial.gradient_evaluations
    trial.advance(max(5, TRIAL // setup.chains))
    cost = (trial.gradient_evaluations - before) / trial.steps_done.sum()
    return MeasuredRunner(sampler, setup.last, cost, eta)


def _laplace(setup: RaceSetup) -> Runner:
    """Fit Laplace's approximation by Newton's method from the mode of epoch t - 1."""
    before = setup.before
    held = (before[0] - 1,) if not setup.data else tuple(part[:-1] for part in before)
    sampler = sampler_at(Laplace, setup.problem, held, setup.settings, 1, setup.seed, setup.start, ONE_CORE)
    sampler.arrive(*(part[-1] for part in before) if setup.data else ())
    sampler.advance(1)
    return FitRunner(sampler, setup)


@one_blas_thread()
def _warm_laplace(setup: RaceSetup) -> Runner:
    """Run from the second-last refit before epoch t: earlier fits have no effect.

    The cost of the last refit is shared by the data up to the next one.
    """
    earlier, refit = 1, 1
    while next_refit(refit) < setup.t:
        earlier, refit = refit, next_refit(refit)
    held, gap, done = tuple(part[:earlier - 1] for part in setup.before), next_refit(refit) - refit, Runner()
    sampler: Any = sampler_at(WarmLaplace, setup.problem, held, setup.settings, 1, setup.seed, setup.start, ONE_CORE)
    if refit > earlier:
        sampler.observe(*(part[earlier - 1:refit - 1] for part in setup.before))
    before = sampler.gradient_evaluations
    done.timed(lambda: sampler.observe(*(part[refit - 1:refit] for part in setup.before)), gap)
    shared = (sampler.gradient_evaluations - before) / gap
    if setup.t - 1 > refit:
        sampler.observe(*(part[refit:] for part in setup.before))
    sampler.refit = MOST_REFIT  # the last datum is filtered, wherever it is between refits
    return FitRunner(sampler, setup, shared, done.seconds)


def _one_pass(kind: type[Any], setup: RaceSetup) -> Runner:
    """Run one pass over the data; beyond 20,000 only over the last 1,000, which suffices for the cost."""
    skipped = setup.t - 1_000 if setup.t > LONG else 0
    held = tuple(part[:skipped] for part in setup.before)
    sampler = sampler_at(kind, setup.problem, held, setup.settings, 1, setup.seed, setup.start, ONE_CORE)
    sampler.observe(*(part[skipped:] for part in setup.before))
    return FitRunner(sampler, setup)


@one_blas_thread()
def _ibis(setup: RaceSetup) -> Runner:
    """Run the stream from the prior, since no other sampler has the particles of epoch t - 1; its draws come at once.

    Renewals are rare and costly: an epoch's cost is the mean over the second half of the stream, per particle.
    """
    cloud = IBIS(setup.problem, setup.settings, setup.chains, setup.seed, None, ONE_CORE)
    runner, half = Runner(), setup.t // 2
    cloud.observe(*(part[:half] for part in setup.data))
    before, shares = cloud.gradient_evaluations, setup.chains * (setup.t - half)
    runner.timed(lambda: cloud.observe(*(part[half:] for part in setup.data)), shares)
    runner.evaluations = runner.step_cost = (cloud.gradient_evaluations - before) / shares
    runner.positions, runner.moving, runner.diagnosable = cloud.positions, False, False
    return runner


def _saga(setup: RaceSetup) -> float:
    return setup.settings.step_size(setup.t)


def _quiet(setup: RaceSetup) -> float:
    """Return SAGA-LD's step size, or a smaller one that keeps SGLD's gradient noise at a tenth of the injected noise."""
    return _saga(setup) * (min(1.0, 0.1 / setup.noise_share) if setup.noise_share > 0 else 1.0)


_POTENTIAL = "a potential for its acceptance test; an oracle has gradients only"
_LOGISTIC = "logistic labels"
_STEP, _NOISE, _GAUSSIAN = "from the step", "step, and noise ∝ t", "shape: a Gaussian"
_CURVED = "the curvature of each term"

CONTESTANTS: dict[str, Contestant] = {c.key: c for c in (
    Contestant("saga", ANY, "", partial(_from_memory, OnlineSagaLD), _STEP),
    Contestant("precond", PreconditionedSagaLD.kinds, "a gradient with known curvature",
               partial(_from_memory, PreconditionedSagaLD), _STEP, proper=True, curved=True),
    Contestant("sgld", ANY, "", from_setup(SGLD, lambda s: _saga(s) / 5), _NOISE),
    Contestant("sgld_same", ANY, "", from_setup(SGLD, _saga), _NOISE),
    Contestant("sgld_quiet", ANY, "", from_setup(SGLD, _quiet), _NOISE),
    Contestant("mala", MetropolisSampler.kinds, _POTENTIAL,
               from_setup(MALA, lambda s: 0.7 * s.problem.dim ** (-1 / 3) / s.largest), ""),
    Contestant("ula", ANY, "", from_setup(ULA, lambda s: 0.1 / s.largest), _STEP),
    Contestant("rwm", MetropolisSampler.kinds, _POTENTIAL,
               from_setup(RandomWalkMetropolis, lambda s: 2.8 / (s.problem.dim * s.largest)), ""),
    Contestant("cv_sgld", CvSGLD.kinds, "one score per datum", partial(_controlled, CvSGLD, _saga), _STEP),
    Contestant("mh_ss", SubsampledMetropolis.kinds, "a bounded third derivative",
               partial(_controlled, SubsampledMetropolis, lambda s: np.nan), ""),
    Contestant("zigzag", ZigZag.kinds, f"bounded slopes, and at most {MOST_DIMENSIONS} dimensions",
               partial(_controlled, ZigZag, lambda s: 0.5 / s.largest), "", most_dimensions=MOST_DIMENSIONS),
    Contestant("pg", PolyaGamma.kinds, _LOGISTIC, from_setup(PolyaGamma, lambda s: np.nan), "", proper=True,
               price=PG_PRICE),
    Contestant("laplace", ANY, "", _laplace, _GAUSSIAN),
    Contestant("online_laplace", OnlineLaplace.kinds, _LOGISTIC, partial(_one_pass, OnlineLaplace), "shape: diagonal",
               proper=True),
    Contestant("warm_laplace", WarmLaplace.kinds, _CURVED, _warm_laplace, _GAUSSIAN),
    Contestant("rvga", RecursiveVGA.kinds, _CURVED, partial(_one_pass, RecursiveVGA), "shape: a Gaussian; one pass",
               proper=True),
    Contestant("ibis", IBIS.kinds, _POTENTIAL, _ibis, "of order 1/N", proper=True, growth="flat; renewals ∝ t"),
    Contestant("svrg", ANY, "", lambda s: FixedRunner(SvrgLD(_saga(s), s.settings.batch_size), s), _STEP),
    Contestant("svrg_plus", ANY, "", lambda s: FixedRunner(
        SvrgLD(_saga(s), s.settings.batch_size, max(1, s.t // PLUS)), s), "step, and the anchor’s batch"),
    Contestant("saga_fixed", ANY, "", lambda s: FixedRunner(SagaLD(_saga(s), s.settings.batch_size), s), _STEP),
    Contestant("cv_uld", ANY, "", lambda s: FixedRunner(
        CvULD(batch_size=s.settings.batch_size, inverse_mass=1.0 / s.largest), s), _STEP),
    Contestant("nuts_warm", GLM, "one score per datum", lambda s: NutsRunner(s, True), "", price=PRICE,
               growth="grows as t", missing=missing),
    Contestant("nuts_scratch", GLM, "one score per datum", lambda s: NutsRunner(s, False), "", price=PRICE,
               growth="grows as t", missing=missing),
)}
"""Samplers of the race by key."""
