"""`CoresetPosterior`: a trained coreset as another page takes it, to run any sampler on at its cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampler import GradientOracle, coreset


@dataclass(frozen=True, eq=False)
class CoresetPosterior:
    """The posterior of a weighted part of the data, and the full-data posterior that it stands in for.

    ``problem.posterior(terms)`` is what samplers run on; a full gradient costs `terms` evaluations instead of `n`.
    """

    label: str  #: such as "Coreset of Gaussian location, M = 500, Hot DoG"
    problem: GradientOracle  #: f_1, ..., f_terms with their weights, and the prior
    dim: int
    terms: int  #: M, points with weight above 0
    n: int  #: N
    mean: np.ndarray  #: (dim,) of the full-data posterior
    std: np.ndarray  #: (dim,) of the full-data posterior
    variance_ratio: float  #: coreset over full-data posterior variance; nan when not known
    names: tuple[str, ...] = ()  #: of the coordinates

    @property
    def race_step(self) -> float:
        """An eta0 that suits it: a fifth of what its steepest direction allows, at t = its points."""
        hessian = self.problem.posterior(self.terms).hessian(np.asarray(self.mean, float))
        largest = float(np.linalg.eigvalsh(hessian)[-1])
        return float(f"{0.2 * (self.terms + 1.0) / max(largest, 1e-9):.2g}")


def posterior_of(trained: coreset.Coreset, label: str, variance_ratio: float = float("nan")) -> CoresetPosterior:
    """Return a coreset as a posterior to sample.

    Raises
    ------
    ValueError
        When all weights are zero, or the model has no gradients in theta (sparse regression).
    """
    model = trained.model
    return CoresetPosterior(
        label, trained.oracle(), model.dim, int(np.count_nonzero(trained.weights)), model.n, model.truth.mean,
        model.truth.std, float(variance_ratio), tuple(model.names))
