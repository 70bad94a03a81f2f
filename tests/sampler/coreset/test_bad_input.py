"""Invalid input of coresets and its messages."""

import numpy as np
import pytest

from sampler.coreset import (
    Adam,
    BradleyTerry,
    CauchyLogistic,
    CoresetMCMC,
    CustomModel,
    DAdaptation,
    GaussianLocation,
    GibbsSampler,
    LinearLogVariance,
    NotFiniteError,
    RepeatedPoints,
    SoftplusPoisson,
    SparseRegression,
    Truth,
    Untrained,
    weight_convergence,
)

MODEL = GaussianLocation.synthetic(100, 3, 0)
CUSTOM = CustomModel(lambda theta, indices: np.zeros(len(indices)), lambda theta: 0.0, 5, 2)


def empty_coreset():
    coreset = CoresetMCMC(MODEL, 5).start().coreset
    coreset.weights[:] = 0
    return coreset


@pytest.mark.parametrize(("make", "words"), [
    (lambda: CoresetMCMC(MODEL, 10, chains=1), "chains must be .* needs two"),
    (lambda: CoresetMCMC(MODEL, 10, kernel=GibbsSampler()), "kernel must be GaussianKernel or SliceSampler"),
    (lambda: GaussianLocation(np.array([[1.0], [np.nan]])), "row 1"),
    (lambda: CauchyLogistic(np.ones((3, 1)), [0, 1, 2]), "0 or 1; row 2"),
    (lambda: CauchyLogistic.synthetic(50, 2), "positives must be"),
    (lambda: SoftplusPoisson(np.ones((3, 1)), [0, 1.5, 2]), "counts"),
    (lambda: BradleyTerry([0, 1], [1, 1], [0, 1]), "itself"),
    (lambda: Truth(np.zeros(2), np.array([1.0, 0.0]), "user values"), "std above 0"),
    (lambda: empty_coreset().oracle(), "all be zero"),
    (lambda: CoresetMCMC(SparseRegression.synthetic(n=200, dim=2), 20, Untrained()).run(5).coreset.oracle(), "gradients in"),
    (lambda: CUSTOM.predictive(np.zeros((3, 2))), r"model must have a response distribution, CustomModel\(n=5, dim=2\) has"),
    (lambda: MODEL.predictive(np.zeros((3, 2))), r"draws must have shape \(n, 3\), got \(3, 2\)"),
    (lambda: RepeatedPoints(np.eye(2), [1]), "copies must be 2 whole numbers"),
    (lambda: RepeatedPoints(np.eye(2), [1, 0]), "leave out a point that never"),
    (lambda: RepeatedPoints(np.ones((2, 2)), [1, 2]), "points must be affinely independent"),
    (lambda: RepeatedPoints(np.arange(8.0).reshape(4, 2), [1, 1, 1, 1]), "points must be affinely independent"),
    (lambda: weight_convergence(RepeatedPoints.synthetic(), 10), "iterations must"),
    (lambda: CoresetMCMC(RepeatedPoints.synthetic(), 5).start(), "size must be 10, .*points.*give CoresetMCMC that size"),
    (lambda: CoresetMCMC(MODEL, 5).run(10).z_score_at([0]), r"iterations must be in \[1, 10\]"),
    (lambda: CoresetMCMC(MODEL, 5).run(10).z_score_at([11]), r"iterations must be in \[1, 10\]"),
    (lambda: CoresetMCMC(MODEL, 5).start().advance(-1), "n must be"),
])
def test_invalid_arguments_are_rejected(make, words):
    with pytest.raises(ValueError, match=words):
        make()


class NanAtDatum3(GaussianLocation):
    """Model with an overridden likelihood, evaluated in Python."""

    def log_likelihood(self, theta, indices=None):
        indices = np.arange(self.n) if indices is None else np.asarray(indices)
        return np.where(indices == 3, np.nan, super().log_likelihood(theta, indices))


def overflowing(model):
    """Return a run that starts where the likelihood overflows."""
    return CoresetMCMC(model, 20, start=np.full((2, model.dim), -1e300) * np.array([[1.0], [0.5]])).run(5)


def runaway():
    model = LinearLogVariance.synthetic(2000, 3)
    model.truth = Truth(np.zeros(model.dim), np.ones(model.dim), "user values")
    return CoresetMCMC(model, 50, DAdaptation(1.0), seed=0).run(5000)


@pytest.mark.parametrize(("run", "words"), [
    (lambda: CoresetMCMC(NanAtDatum3(MODEL.rows[:, :3]), 100, seed=0).run(10), r"coreset point 3 .* is nan"),
    (lambda: overflowing(LinearLogVariance.synthetic(200, 2)), "at iteration [01]"),
    (lambda: overflowing(SoftplusPoisson.synthetic(200, 2)), "at iteration [01]"),
    (runaway, r"weights must stay finite; .* DAdaptation\(d0=1.0\) has diverged")])
def test_a_non_finite_value_names_its_place_or_the_optimizer(run, words):
    with pytest.raises(NotFiniteError, match=words):
        run()


def test_a_nan_likelihood_stops_the_run_in_a_valid_state():
    def log_likelihood(theta, indices):
        value = -0.5 * (theta[0] - 1.0) ** 2 * np.ones(len(indices))
        return np.where((indices == 17) & (theta[0] > 1.0), np.nan, value)

    model = CustomModel(log_likelihood, lambda theta: -0.5 * theta @ theta, n=20, dim=1)
    run = CoresetMCMC(model, 5, start=np.array([[0.2], [0.4]]), seed=0, hot_start=False).start()
    with pytest.raises(NotFiniteError, match=r"at iteration \d+, chain \d, (datum|coreset point) 17"):
        run.advance(500)
    t, weights = run.t, run.weights
    assert t < 500 and np.isfinite(weights).all() and np.isfinite(run.z_score).all() and run.z_score.shape == (t,)


def test_all_weights_at_zero_give_a_notice_and_the_run_continues():
    runs = [CoresetMCMC(MODEL, 1, Adam(1e6, "constant"), hot_start=False, seed=seed).run(300) for seed in range(6)]
    run = next(run for run in runs if np.any(run.weight_sums == 0))
    first = int(np.flatnonzero(run.weight_sums == 0)[0]) + 1
    (note,) = run.notices
    assert f"At iteration {first} all weights" in note and np.isfinite(run.z_score).all()
