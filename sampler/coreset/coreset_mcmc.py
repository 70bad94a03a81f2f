"""Specification of a Coreset MCMC run: model, size, kernel, optimizer, chains; several runs in parallel."""

from collections.abc import Callable, Sequence

import numpy as np

from sampler.arguments import instance_of, real_array, several, shown, switch, whole_number
from sampler.coreset.coreset_run import CoresetRun
from sampler.coreset.hot_start import HotStart
from sampler.coreset.loops import CompiledLoop, PlainLoop, is_compiled
from sampler.coreset.models.base import CustomModel, Model
from sampler.coreset.optimizers import HotDoG, Optimizer
from sampler.coreset.transitions import Kernel, SliceSampler
from sampler.threads import checked_threads, run_blocks

STARTS = ("default", "near", "far")
FAR = 300.0


class CoresetMCMC:
    """Coreset MCMC (Chen and Campbell, 2024, Algorithm 1) with weights trained on its own draws.

    An iteration draws a new subsample without replacement, estimates the gradient (Eq. 4), updates the weights, then
    steps every chain with a kernel that leaves the new coreset posterior invariant.

    Parameters
    ----------
    model : Model
    size : int in [1, N]
        Number of coreset points M, drawn once, uniformly (stratified by class for rare positives). Weights start at N / M.
    optimizer : Optimizer, optional
        None uses `HotDoG()`.
    chains : int >= 2
        K; the gradient is a covariance over chains.
    subsample : int in [1, N], optional
        S; None uses M.
    hot_start : bool or HotStart
        Whether training starts only after the hot-start test has passed, for any optimizer.
    kernel : Kernel, optional
        None uses the default of the model.
    start : "default", "near", "far" or (K, D) array
        Initial positions: the model's default, normal draws with the truth's means and standard deviations, or with
        300 times the standard deviations.
    seed : int
        The same seed gives the same run.
    """

    def __init__(
        self, model: Model, size: int, optimizer: Optimizer | None = None, chains: int = 2,
        subsample: int | None = None, hot_start: bool | HotStart = True, kernel: Kernel | None = None,
        start: str | np.ndarray = "default", seed: int = 0,
    ) -> None:
        instance_of("model", model, Model, "GaussianLocation.synthetic() is the simplest")
        self.model = model
        self.size = whole_number("size", size, 1, model.n, f"a coreset is a part of the {model.n} data, often 1 %")
        self.optimizer = HotDoG() if optimizer is None else optimizer
        instance_of("optimizer", self.optimizer, Optimizer, "HotDoG() needs no tuning")
        self.chains = whole_number("chains", chains, 2, 10_000, "the gradient estimate is a covariance over chains and "
                                   "needs two or more")
        self.subsample = whole_number("subsample", self.size if subsample is None else subsample, 1, model.n,
                                      "it is drawn without replacement; None uses the coreset's size")
        if not isinstance(hot_start, HotStart):
            hot_start = switch("hot_start", hot_start, "or pass a HotStart")
        self.hot_start = HotStart() if hot_start is True else (hot_start or None)
        self.kernel = self._checked_kernel(kernel)
        self.start_at = self._checked_start(start)
        self.seed = whole_number("seed", seed, 0, 2**63, "any whole number")

    def _checked_kernel(self, kernel: Kernel | None) -> Kernel:
        allowed = self.model.kernels if is_compiled(self.model) else (SliceSampler,)
        if kernel is None:
            return allowed[0]()
        if not isinstance(kernel, allowed):
            names = " or ".join(kind.__name__ for kind in allowed)
            raise ValueError(f"kernel must be {names} for {self.model!r}, got {kernel!r}; None uses the first")
        return kernel

    def _checked_start(self, start: str | np.ndarray) -> str | np.ndarray:
        if isinstance(start, str):
            if start in STARTS:
                return start
            raise ValueError(f"start must be one of {', '.join(STARTS)} or an array, got {start!r}")
        shape = (self.chains, self.model.dim)
        array = real_array("start", start, f"one of {', '.join(STARTS)}, or numbers of shape {shape}", "one row per chain")
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"start must be finite, of shape {shape}, got {shown(array)}; one row per chain")
        return array.copy()

    def _first_positions(self, points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if not isinstance(self.start_at, str):
            return self.start_at
        if self.start_at == "default":
            return self.model.first_positions(self.chains, rng, points)
        truth = self.model.truth
        away = FAR if self.start_at == "far" else 1.0
        positions = truth.mean + away * truth.std * rng.standard_normal((self.chains, self.model.dim))
        return self.model.admissible(positions)

    def start(self) -> CoresetRun:
        """Return a run at t = 0, to be continued by `CoresetRun.advance`.

        Raises
        ------
        NotFiniteError
            (a ValueError) if a log-likelihood is not finite at the chains' initial positions.
        """
        coreset_seed, chain_seed = np.random.SeedSequence(self.seed).generate_state(2, np.uint64) >> np.uint64(1)
        rng = np.random.default_rng(int(coreset_seed))
        points = self.model.pick(self.size, rng)
        positions = self._first_positions(points, rng)
        weights = np.full(self.size, self.model.n / self.size)
        loop = (CompiledLoop if is_compiled(self.model) else PlainLoop)(
            self.model, self.kernel, points, self.optimizer.start(weights), positions, self.subsample, int(chain_seed))
        run = CoresetRun(loop, self.hot_start)
        run.check_start()
        return run

    def run(
        self, iterations: int, progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> CoresetRun:
        """Run ``iterations`` iterations, warm-up included, and return the run.

        Parameters
        ----------
        iterations : int >= 1
        progress : callable, optional
            ``progress(done, iterations)``, called every 1000 iterations (20 if the model runs in Python).
        stop : callable, optional
            Ends the run early once it returns True.
        """
        iterations = whole_number("iterations", iterations, 1, 10**9, "the paper's is 200000")
        run = self.start()
        while run.t < iterations and not (stop is not None and stop()):
            run.advance(min(run.stride, iterations - run.t), stop)
            if progress is not None:
                progress(run.t, iterations)
        return run


def run_side_by_side(specifications: Sequence[CoresetMCMC], iterations: int, threads: int | None = None,
                     stop: Callable[[], bool] | None = None) -> list[CoresetRun]:
    """Run ``specification.run(iterations)`` of each in parallel; the results equal those of separate runs.

    Parameters
    ----------
    specifications : sequence of CoresetMCMC, at least one
        For example one per seed.
    iterations : int >= 1
        Of each run, warm-up included.
    threads : int in [1, 1024], optional
        Number of concurrent runs; None uses the cores available to the process. One if a model is a `CustomModel`, as
        its functions may not be thread-safe.
    stop : callable, optional
        Ends all runs early once it returns True. Called from several threads.

    Raises
    ------
    NotFiniteError
        (a ValueError) if a run fails; running ones are finished first, later ones are not started.
    """
    iterations = whole_number("iterations", iterations, 1, 10**9, "the paper's is 200000")
    threads = checked_threads(threads)
    advice = "[CoresetMCMC(model, 500, seed=s) for s in range(10)] gives ten trials"
    chosen = several("specifications", specifications, advice)
    for specification in chosen:
        instance_of("specifications", specification, CoresetMCMC, advice)
    models = list({id(s.model): s.model for s in chosen}.values())
    if any(isinstance(model, CustomModel) for model in models):
        threads = 1
    for model in models:
        _ = model.truth  # computed once, not by every thread
    return run_blocks(lambda specification: specification.run(iterations, stop=stop), chosen, threads)
