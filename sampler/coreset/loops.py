"""Loops that advance a run: compiled, one for each kind of likelihood and kernel, and one in plain Python."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from sampler.coreset.models.base import Model
from sampler.coreset.models.gaussian import GaussianLocation
from sampler.coreset.models.score_model import ScoreModel
from sampler.coreset.models.sparse import SparseRegression
from sampler.coreset.optimizers import OptimizerState
from sampler.coreset.run_record import Record
from sampler.coreset.transitions import GaussianKernel, GibbsSampler
from sampler.kernels.coreset_gaussian import advance_gaussian
from sampler.kernels.coreset_regression import advance_regression
from sampler.kernels.coreset_sparse import advance_sparse
from sampler.kernels.rng import spawn_generators
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded

RUNAWAY = 1e3  # largest weight, in units of N, before a run counts as diverged


class NotFiniteError(ValueError):
    """Diverged weights, or a log-likelihood that is nan or infinite."""


class Loop:
    """Positions of the chains and weights of a run; `advance` of a subclass runs iterations on them.

    Parameters
    ----------
    model : Model
    kernel : GaussianKernel, SliceSampler or GibbsSampler
    chosen : (M,) indices of the coreset
    state : OptimizerState
    positions : (K, D) initial positions of the chains
    subsample, seed : int

    Attributes
    ----------
    theta : (K, P) positions, padded
    calls : (1,) int64, evaluations of a log posterior by the slice sampler
    """

    stride: ClassVar[int] = 1000  #: maximum number of iterations between two calls of ``stop``

    def __init__(self, model: Any, kernel: Any, chosen: np.ndarray, state: OptimizerState, positions: np.ndarray,
                 subsample: int, seed: int) -> None:
        self.model, self.kernel, self.chosen, self.state, self.seed = model, kernel, chosen, state, seed
        self.subsample = subsample
        self.theta = aligned_zeros((len(positions), padded(model.dim)))
        self.theta[:, :model.dim] = positions
        self.calls = np.zeros(1, np.int64)
        self.centre, self.scale = model.truth.mean, 1.0 / model.truth.std

    @property
    def positions(self) -> np.ndarray:
        """(K, D) copy of the positions."""
        return self.theta[:, :self.model.dim].copy()

    def advance(self, record: Record, t: int, n: int, train: bool) -> int:
        """Run up to ``n`` iterations after ``t``; return the number done, fewer if a term is not finite."""
        raise NotImplementedError

    def fault(self, t: int) -> NotFiniteError:
        """Return the error of a loop that stopped in iteration ``t``: diverged weights, or the first non-finite term."""
        weights = self.state.weights
        if not weights.max() < RUNAWAY * self.model.n:
            return NotFiniteError(
                f"weights must stay finite; at iteration {t} of {self.model!r} the largest is {weights.max():.3g}, and "
                f"{self.state.optimizer!r} has diverged. Lower its rate or first distance, or use HotDoG()")
        for k, theta in enumerate(self.positions):
            for what, indices in (("coreset point", self.chosen), ("datum", np.arange(self.model.n))):
                with np.errstate(all="ignore"):
                    values = np.asarray(self.model.log_likelihood(theta, indices), dtype=float)
                bad = np.flatnonzero(~np.isfinite(values))
                if bad.size:
                    return NotFiniteError(
                        f"log-likelihood must be finite; at iteration {t}, chain {k}, {what} {indices[bad[0]]} of "
                        f"{self.model!r} it is {values[bad[0]]} (theta = {np.array2string(theta, precision=4)}). "
                        "Repair that datum, or start the chains nearer to the mode")
        return NotFiniteError(
            f"the gradient of the weights must be finite; at iteration {t} of {self.model!r} it overflows at theta = "
            f"{np.array2string(self.positions, precision=4)}. Start the chains nearer the mode, or scale the features")


class CompiledLoop(Loop):
    """Loop in compiled code, one function per kernel, called with shared and kernel-specific arguments as tuples."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        model, kernel, chosen, chains = self.model, self.kernel, self.chosen, len(self.theta)
        points = aligned_zeros((chosen.size, model.rows.shape[1]))
        points[:] = model.rows[chosen]
        self._data = (model.rows, model.labels, points, model.labels[chosen], np.arange(chosen.size, dtype=np.int64),
                      np.arange(model.n, dtype=np.int64), np.empty(self.subsample, np.int64))
        self._rngs = spawn_generators(self.seed, chains + 1, 1)[:, 0]
        if isinstance(kernel, GibbsSampler):  # all features are included at first
            self._steps, p = advance_sparse, model.dim - 1
            self._extra: tuple[Any, ...] = np.ascontiguousarray(points[:, :p].T), np.ones((chains, p)), model.constants
        elif isinstance(kernel, GaussianKernel):
            self._steps, self._extra = advance_gaussian, (np.ones(self.subsample), float(kernel.memory))
        else:
            self._steps, self._extra = advance_regression, (
                model.family, model.prior, float(kernel.width), int(kernel.doublings), int(kernel.directions), self.calls)

    def advance(self, record: Record, t: int, n: int, train: bool) -> int:
        """See `Loop.advance`."""
        state, dim = self.state, self.model.dim
        weights = state.weights, state.start, state.optimizer.code, state.vectors, state.scalars, state.constants
        rows = self.centre, self.scale, record.sums, record.squares, record.norms, record.totals, record.potentials
        return self._steps(n, t, train, lanes_for(dim), self._data, weights, self.theta, dim, self._rngs, self._extra, rows)


SHRINKAGES = 200


def eq4(terms: np.ndarray, subsample_terms: np.ndarray, weights: np.ndarray, n: int) -> np.ndarray:
    """Return Coreset MCMC's gradient estimate (Eq. 4), (M,).

    terms : (K, M) log-likelihoods of the coreset points.   subsample_terms : (K, S).   n : number of data.
    """
    centred = terms - terms.mean(axis=0)
    drawn = subsample_terms - subsample_terms.mean(axis=0)
    rest = centred @ weights - n / drawn.shape[1] * drawn.sum(axis=1)
    return centred.T @ rest / (len(terms) - 1)


def slice_on_line(height: Callable[[float], float], width: float, doublings: int,
                  rng: np.random.Generator) -> tuple[float, int]:
    """Return the new point and the evaluations of one slice update on a line from 0 (Neal, 2003, Figures 4 to 6)."""
    calls = 0

    def at(x: float) -> float:
        nonlocal calls
        calls += 1
        return height(x)

    here = at(0.0)
    if not np.isfinite(here):
        return np.nan, calls
    level = here - rng.exponential()
    left = -width * rng.random()
    right = left + width
    ends = [at(left), at(right)]
    for _ in range(doublings):
        if not max(ends) > level:
            break
        if rng.random() < 0.5:
            left -= right - left
            ends[0] = at(left)
        else:
            right += right - left
            ends[1] = at(right)

    def acceptable(x: float) -> bool:
        low, high, differs = left, right, False
        while high - low > 1.1 * width:
            middle = 0.5 * (low + high)
            differs = differs or (middle > 0) != (middle > x)
            low, high = (low, middle) if x < middle else (middle, high)
            if differs and not at(low) > level and not at(high) > level:
                return False
        return True

    low, high = left, right
    for _ in range(SHRINKAGES):
        x = low + rng.random() * (high - low)
        if at(x) > level and acceptable(x):
            return x, calls
        low, high = (x, high) if x < 0 else (low, x)
    return 0.0, calls


class PlainLoop(Loop):
    """Loop in Python on the model's ``log_likelihood`` and ``log_prior``; only the optimizer's step is compiled."""

    stride: ClassVar[int] = 20

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.rng = np.random.default_rng(self.seed)

    def log_coreset_posterior(self, theta: np.ndarray) -> tuple[float, float]:
        """Return the log coreset posterior at the current weights, up to a constant, and its likelihood part."""
        likelihood = float(self.state.weights @ self.model.log_likelihood(theta, self.chosen))
        return likelihood + float(self.model.log_prior(theta)), likelihood

    def height(self, theta: np.ndarray, direction: np.ndarray, x: float) -> float:
        """Return the log coreset posterior at theta + x direction."""
        return self.log_coreset_posterior(theta + x * direction)[0]

    def estimate(self) -> np.ndarray:
        """Return a gradient estimate from a new subsample, (M,)."""
        drawn = self.rng.choice(self.model.n, self.subsample, replace=False)
        theta = self.positions
        return eq4(np.array([self.model.log_likelihood(x, self.chosen) for x in theta]),
                   np.array([self.model.log_likelihood(x, drawn) for x in theta]),
                   self.state.weights, self.model.n)

    def move(self, k: int) -> float:
        """Make one slice sampling step of chain ``k``; return its log-likelihood sum afterwards, nan on failure."""
        kernel, dim = self.kernel, self.model.dim
        theta = self.theta[k, :dim]
        for _ in range(kernel.directions):
            direction = self.rng.standard_normal(dim)
            direction /= np.linalg.norm(direction)
            x, calls = slice_on_line(partial(self.height, theta, direction),
                                     kernel.width, kernel.doublings, self.rng)
            self.calls += calls
            if np.isnan(x):
                return np.nan
            theta += x * direction
        return self.log_coreset_posterior(theta)[1]

    def advance(self, record: Record, t: int, n: int, train: bool) -> int:
        """See `Loop.advance`."""
        for done in range(n):
            gradient = self.estimate()
            record.norms[t + done] = np.linalg.norm(gradient)
            if not np.isfinite(gradient).all():
                return done
            if train:
                self.state.step(gradient)
            record.totals[t + done] = self.state.weights.sum()
            for k in range(len(self.theta)):
                record.potentials[t + done, k] = self.move(k)
                if not np.isfinite(record.potentials[t + done, k]):
                    return done
            units = (self.positions - self.centre) * self.scale
            record.sums[t + done + 1] = record.sums[t + done] + units.sum(axis=0)
            record.squares[t + done + 1] = record.squares[t + done] + (units**2).sum(axis=0)
        return n


COMPILED = (GaussianLocation, ScoreModel, SparseRegression)
COMPILED_METHODS = ("log_likelihood", "terms", "log_prior", "score_terms")


def is_compiled(model: Model) -> bool:
    """Return whether compiled code supports ``model``; a subclass with its own likelihood or prior runs in Python."""
    kind = type(model)
    ours = next((base for base in kind.__mro__ if base.__module__.startswith("sampler.coreset.models.")), None)
    if ours is None or not isinstance(model, COMPILED):
        return False
    same = all(getattr(kind, name, None) is getattr(ours, name, None) for name in COMPILED_METHODS)
    return same and not any(name in vars(model) for name in COMPILED_METHODS)
