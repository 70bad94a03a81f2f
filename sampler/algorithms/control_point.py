"""Control point of a growing F_t: its mode at t = 1, 2, 4, 8, ..., where the gradients of all terms are stored.

Samplers with control variates expand each term around a point x' near the mode and draw batches of the remainder:

    grad f_k(X) = grad f_k(x') + [grad f_k(X) - grad f_k(x')],   the first summed once, the second small near x'

Newton's method refits x' each time the data have doubled, starting at the last x': all refits together cost about ten
passes over the data. A datum that arrives in between is expanded around the same x', one evaluation; while the data double,
the mode moves by at most one posterior width, so x' remains as close to the mode as the chains are.

Sources: Baker, Fearnhead, Fox, Nemeth (2019), https://doi.org/10.1007/s11222-018-9826-2 (control variates at a mode);
the doubling, as for the checkpoints of LMV-n Algorithm 2, is ours.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from sampler.algorithms.langevin import StepwiseSampler
from sampler.algorithms.laplace import CountedPosterior, find_mode
from sampler.problems.base import Problem

TOLERANCE = 1e-4  # squared length, in posterior widths, of Newton's last step: the remaining error is far below a width
CHUNK = 8192  # rows expanded at a time
PER_POINT, PER_DATUM = ("point", "gradient", "hessian", "factor"), ("scores", "means", "sums")


class ControlPoint:
    """Point near the mode of F_t and the expansion of F_t's terms there, shared by all chains of a sampler.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression or PoissonRegression
    weigh : callable
        ``weigh(rows, factor)`` returns m weights >= 0 for each of n encoded rows, (m, n), for weighted draws of data.

    Attributes
    ----------
    fitted : int
        Epoch of the last refit; 0 before the first.
    t : int
        Number of data expanded.
    point : (d,) array
    gradient, hessian : (d,), (d, d) arrays
        Derivatives of F_t, prior included, at ``point``.
    factor : (d, d) array
        Lower triangular C with C C' the Hessian at the last refit.
    scores, means : (at least t,) arrays
        Score and mean of each datum at ``point``.
    sums : (m, at least t) array
        Running sums of the weights.
    """

    def __init__(self, problem: Problem, weigh: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        self.problem, self._weigh = problem, weigh
        self.fitted = self.t = 0
        self.point = np.zeros(problem.dim)

    def follow(self, posterior: Any, counts: np.ndarray) -> None:
        """Expand the new data of ``posterior``, or refit; add the gradient evaluations to ``counts[0]``.

        Raises a ValueError, with the state unchanged, if a refit does not find a mode.
        """
        if self.fitted and posterior.t < 2 * self.fitted:
            counts[0] += posterior.t - self.t
            self._expand(posterior)
            return
        mode = find_mode(CountedPosterior(posterior, counts), self.point, tolerance=TOLERANCE)
        try:
            self.factor = np.linalg.cholesky(posterior.hessian(mode))
        except np.linalg.LinAlgError:
            raise ValueError("problem must have a positive definite Hessian at its mode for a control point; set "
                             "prior_precision above 0") from None
        prior = self.problem.prior_precision
        self.point, self.gradient, self.hessian = mode, prior * mode, np.diag(prior).astype(float)
        self.scores, self.means = np.zeros(2 * posterior.t), np.zeros(2 * posterior.t)
        self.sums = np.zeros((len(self._weigh(posterior.rows[:1], self.factor)), 2 * posterior.t))
        self.fitted, self.t = posterior.t, 0
        self._expand(posterior)

    def _expand(self, posterior: Any) -> None:
        for first in range(self.t, posterior.t, CHUNK):
            last = min(first + CHUNK, posterior.t)
            rows, targets = posterior.rows[first:last], posterior.targets[first:last]
            scores = rows @ self.point
            means = self.problem.mean_function(scores)
            self.scores[first:last], self.means[first:last] = scores, means
            self.gradient = self.gradient + (means - targets) @ rows
            self.hessian = self.hessian + (rows * self.problem.score_curvature(scores)[:, None]).T @ rows
            before = self.sums[:, first - 1:first] if first else np.zeros((len(self.sums), 1))
            self.sums[:, first:last] = before + np.cumsum(self._weigh(rows, self.factor), axis=1)
        self.t = posterior.t

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays to save in a file."""
        names = (*PER_POINT, *PER_DATUM) if self.fitted else ()
        return {name: getattr(self, name)[..., :self.t if name in PER_DATUM else None] for name in names}

    def restore(self, fitted: int, t: int, arrays: dict[str, np.ndarray]) -> None:
        """Restore the state from the output of ``arrays``."""
        self.fitted, self.t = fitted, t
        for name, array in arrays.items():
            ahead = [(0, 0)] * (array.ndim - 1) + [(0, 2 * fitted - t if name in PER_DATUM else 0)]
            setattr(self, name, np.pad(array, ahead))


class ControlSampler(StepwiseSampler):
    """Base of samplers with a control point; refits are counted once, regardless of the number of chains.

    A refit raises a ValueError if there is no mode: separable data, or fewer rows than coefficients, under a flat prior.

    Attributes
    ----------
    control : ControlPoint
    """

    kinds: tuple[str, ...] = ("logistic", "linear", "poisson")
    needs = "a model with one score per datum"

    def _allocate(self) -> None:
        super()._allocate()
        self.control = ControlPoint(self.problem, self._weigh)

    def _weigh(self, rows: np.ndarray, factor: np.ndarray) -> np.ndarray:
        """Return the weights of `ControlPoint`; none by default."""
        return np.zeros((0, len(rows)))

    def follow(self, t: int) -> int:
        """Update the control point to the first ``t`` rows; return the number of gradient evaluations."""
        counts = np.zeros(1, np.int64)
        self.control.follow(self._rows.posterior(t), counts)
        return int(counts[0])

    def _open(self, t: int, counts: np.ndarray) -> None:
        self.control.follow(self._rows.posterior(t), counts)
        super()._open(t, counts)

    def _memory_meta(self) -> dict[str, Any]:
        return {**super()._memory_meta(), "control": [self.control.fitted, self.control.t]}

    def _memory_arrays(self) -> dict[str, Any]:
        held = {f"control_{name}": array for name, array in self.control.arrays().items()}
        return {**super()._memory_arrays(), **held}

    def _restore_memory(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        super()._restore_memory(meta, arrays)
        mine = {name.removeprefix("control_"): array for name, array in arrays.items() if name.startswith("control_")}
        fitted, t = meta["control"]
        self.control.restore(fitted, t, mine)
