"""`SweepReference`: posterior at the judged epochs of a sweep, computed once for all cells."""

import io
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from sampler.algorithms.laplace import find_mode
from sampler.problems.base import Problem
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LinearRegression
from sampler.reference.base import sampled_cdf
from sampler.reference.long_chain import drawing_seconds, long_chain_reference
from sampler.threads import one_blas_thread

NUMBERS = 330_000
"""Draws times dimensions of a reference, enough for noise well below that of the cells."""
QUANTILES = 256
DRAWING = 0.97
"""Share of a rung's time spent on drawing; the rest is for transporting draws to other epochs and for quantiles."""
METHODS = ("auto", "draws", "laplace")
LARGEST = 30_000_000
"""Bytes; a larger reference is not stored with the trials but recomputed."""
PARTS = ("mode", "mean", "sd", "quantiles")
_KIND = f"{NUMBERS} {QUANTILES}"
_LEVELS = (np.arange(QUANTILES) + 0.5) / QUANTILES


@dataclass(frozen=True, eq=False)
class ReferenceEpoch:
    """Reference for pi_t at one epoch.

    Attributes
    ----------
    mode, mean, sd : (d,) arrays
    quantiles : (256, d) array or None
        Quantiles of the marginals at levels (i + 1/2)/256; None for normal marginals.
    """

    mode: np.ndarray
    mean: np.ndarray
    sd: np.ndarray
    quantiles: np.ndarray | None

    def levels(self, samples: np.ndarray) -> np.ndarray:
        """Return the marginal distribution functions at samples, (n, d) -> (n, d)."""
        if self.quantiles is None:
            return ndtr((samples - self.mean) / self.sd)
        return sampled_cdf(samples, self.quantiles, _LEVELS, self.sd)


@dataclass(frozen=True, eq=False)
class SweepReference:
    """References of the judged epochs of a sweep.

    Attributes
    ----------
    epochs : dict of int to ReferenceEpoch
    method : {"exact", "draws", "laplace"}
    ess : int or None
        Effective draws of each marginal; None without draws.
    ceiling_draws : int or None
        Number of independent draws with histograms of equal noise, for the ceiling of accuracy.
    """

    epochs: dict[int, ReferenceEpoch]
    method: str
    ess: int | None
    ceiling_draws: int | None = None


def judged_epochs(horizon: int) -> list[int]:
    """Return sixteen epochs, evenly spaced in (horizon/2, horizon]."""
    first = horizon // 2
    return sorted({first + -(-(horizon - first) * i // 16) for i in range(1, 17)})


def rungs_of(rows: int) -> tuple[int, ...]:
    """Return the rows after which cells are compared: a quarter, a half and all of ``rows``, omitting those below 64."""
    return tuple(r for r in (rows // 4, rows // 2, rows) if r >= 64) or (rows,)


@one_blas_thread()
def make_reference(problem: Problem, features: np.ndarray | None, labels: np.ndarray | None, rungs: list[int],
                method: str = "auto", seed: int = 0, stop: Callable[[], bool] | None = None,
                progress: Callable[[float], None] = lambda share: None) -> SweepReference | None:
    """Compute the reference at 16 epochs in the second half of each rung's rows.

    Draws of a rung are from one long chain at its last epoch. For the other epochs they are mapped affinely to the mode
    and curvature there, which preserves skewness: within a factor of 2 in t, this changes marginal accuracy by less than
    0.003 (measured on the paper's data).

    Parameters
    ----------
    problem, features, labels
        All rows; labels None for GaussianMean.
    rungs : list of int
        Rows at the end of each rung, ascending.
    method : {"auto", "draws", "laplace"}
        "auto" is exact if pi_t is Gaussian, Laplace's approximation for a GradientOracle, else draws.
    stop : callable, optional
        Polled; once it returns True, the function returns None.
    progress : callable, optional
        Called with the approximate completed fraction.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    gaussian = isinstance(problem, (GaussianMean, LinearRegression))
    if method == "auto":
        method = "exact" if gaussian else "laplace" if problem.kind == "oracle" else "draws"
    draws = min(16_000, max(4_000, NUMBERS // problem.dim))
    mode, epochs, sizes, done = None, {}, [], 0.0
    seconds = [drawing_seconds(problem, rows, draws) if method == "draws" else rows for rows in rungs]
    for horizon, expected in zip(rungs, seconds, strict=True):
        part = expected / sum(seconds)
        white = None

        def drawing(share: float, done: float = done, part: float = part) -> None:
            progress(done + DRAWING * part * share)

        for t in reversed(judged_epochs(horizon)):  # the last first: its draws are mapped to the others
            if stop is not None and stop():
                return None
            posterior = posterior_of(problem, features, labels, t)
            mode = find_mode(posterior, mode)
            factor = np.linalg.cholesky(np.linalg.inv(posterior.hessian(mode)))
            if method != "draws":
                epochs[t] = ReferenceEpoch(mode, mode, np.sqrt((factor**2).sum(axis=1)), None)
                continue
            if white is None:
                chain = long_chain_reference(posterior, draws, seed=seed, warm_start=mode, stop=stop,
                                             progress=drawing)
                if chain is None:
                    return None
                white = np.linalg.solve(factor, (chain.samples - mode).T).T
                sizes.append((float(np.median(chain.ess)), chain.ceiling_draws))
            carried = white @ factor.T + mode
            rising = np.sort(carried.T, axis=1)  # halves the time of the quantiles
            epochs[t] = ReferenceEpoch(mode, carried.mean(axis=0), carried.std(axis=0),
                                       np.quantile(rising, _LEVELS, axis=1, method="hazen"))
        done += part
        progress(done)
    ess, ceiling_draws = (int(min(column)) for column in zip(*sizes, strict=True)) if sizes else (None, None)
    return SweepReference(dict(sorted(epochs.items())), method, ess, ceiling_draws)


def packed(reference: SweepReference) -> dict[str, Any] | None:
    """Serialize a reference to JSON values for `unpacked`; None if larger than ``LARGEST`` bytes."""
    epochs = list(reference.epochs.values())
    arrays: dict[str, Any] = {part: np.array([getattr(epoch, part) for epoch in epochs]) for part in PARTS
                              if getattr(epochs[0], part) is not None}
    if sum(array.nbytes for array in arrays.values()) > LARGEST:
        return None
    file = io.BytesIO()
    np.savez(file, t=list(reference.epochs), **arrays)
    return {"kind": _KIND, "method": reference.method, "ess": reference.ess, "ceiling_draws": reference.ceiling_draws,
            "arrays": b64encode(file.getvalue()).decode()}


def unpacked(values: dict[str, Any] | None, rungs: tuple[int, ...]) -> SweepReference | None:
    """Return the reference serialized by `packed`; None without values, for other rungs and for another format."""
    if values is None or values["kind"] != _KIND:
        return None
    with np.load(io.BytesIO(b64decode(values["arrays"])), allow_pickle=False) as arrays:
        t = arrays["t"].tolist()
        parts = [arrays[part] if part in arrays else [None] * len(t) for part in PARTS]
    if set(t) != {epoch for rung in rungs for epoch in judged_epochs(rung)}:
        return None
    epochs = {at: ReferenceEpoch(*each) for at, *each in zip(t, *parts, strict=True)}
    return SweepReference(epochs, values["method"], values["ess"], values["ceiling_draws"])


def posterior_of(problem: Problem, features: Any, labels: np.ndarray | None, t: int) -> Any:
    """Return the posterior F_t of the first ``t`` rows."""
    if problem.kind == "oracle":
        return problem.posterior(t)
    return problem.posterior(features[:t]) if labels is None else problem.posterior(features[:t], labels[:t])
