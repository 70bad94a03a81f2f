"""Every posterior against finite differences and exact formulas; generated data have the specified laws."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from sampler import GaussianAverage, GaussianMean, GradientOracle, LinearRegression, LogisticRegression, PoissonRegression
from sampler.problems.base import central_differences
from sampler.problems.synthetic_data import synthetic_logistic, synthetic_stream
from tests.sampler.algorithms.streams import stream


def posterior(kind: str, n: int = 40, dim: int = 3):
    rng = np.random.default_rng(1)
    x = 0.5 * rng.standard_normal((n, dim))
    return {
        "logistic": lambda: LogisticRegression(dim, [1.0, 0.5, 2.0]).posterior(x, rng.integers(0, 2, n)),
        "linear": lambda: LinearRegression(dim, 0.3, noise_std=0.6).posterior(x, rng.standard_normal(n)),
        "poisson": lambda: PoissonRegression(dim).posterior(x, rng.poisson(1.5, n)),
        "gaussian": lambda: GaussianMean(dim).posterior(x),
        "average": lambda: GaussianAverage([0.5, 1.0, 2.0]).posterior(x),
    }[kind]()


KINDS = ["logistic", "linear", "poisson", "gaussian", "average"]


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_and_hessian_are_derivatives(kind):
    f = posterior(kind)
    for theta in np.random.default_rng(0).standard_normal((5, 3)):
        # forward differences of step 1.5e-8 on values near 100 are accurate to about 1e-5
        assert check_grad(f.potential, f.gradient, theta) < 1e-4 * (1 + np.abs(f.gradient(theta)).max())
        np.testing.assert_allclose(f.hessian(theta), central_differences(f.gradient, theta), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_terms_add_up_and_shapes_follow_the_points(kind):
    f = posterior(kind)
    theta = np.random.default_rng(0).standard_normal((4, 3))
    prior = f.problem.prior_precision * theta[0]
    np.testing.assert_allclose(f.term_gradients(theta[0]).sum(axis=0) + prior, f.gradient(theta[0]), atol=1e-10)
    np.testing.assert_array_equal(f.term_gradients(theta[0], [3, 3, 0]), f.term_gradients(theta[0])[[3, 3, 0]])
    assert f.potential(theta).shape == (4,) and f.gradient(theta).shape == (4, 3)
    for i in range(4):
        assert f.potential(theta)[i] == pytest.approx(f.potential(theta[i]))
        np.testing.assert_allclose(f.gradient(theta)[i], f.gradient(theta[i]), atol=1e-12)
    with pytest.raises(ValueError, match="theta must have shape"):
        f.potential(np.zeros(2))


def one_oracle(kind):
    f = posterior("logistic")
    return GradientOracle(lambda i, x: f.term_gradients(x, i), 3).posterior(5) if kind == "oracle" else posterior(kind, 5)


@pytest.mark.parametrize("kind", [*KINDS, "oracle"])
def test_points_and_indices_are_checked(kind):
    f = one_oracle(kind)
    calls = [f.hessian, f.term_gradients, *([f.scores] if kind in ("logistic", "linear", "poisson") else [])]
    for call in calls:
        for theta in (np.zeros((3, 3)), [5.0], 1.0, "abc", [1j, 0, 0], ["a", "b", "c"], None,
                      np.ma.masked_array(np.ones(3), [1, 0, 0])):
            with pytest.raises(ValueError, match="^theta must be"):
                call(theta)
    for indices in ([99], [5], [-1], [0.5], ["a"], 1, [[1]], [True] * 5, [np.nan], "abc"):
        with pytest.raises(ValueError, match=r"^indices must be whole numbers in \[0, 4\] of shape \(n,\), got .*; count"):
            f.term_gradients(np.zeros(3), indices)
    assert f.term_gradients([0, 0, 0], [4, 0.0, 4]).shape == (3, 3) and f.hessian([0, 0, 0]).shape == (3, 3)
    assert f.term_gradients(np.zeros(3), []).shape == (0, 3)


@pytest.mark.parametrize("t", [2.7, -3, "5", True, None, np.nan])
def test_the_number_of_terms_is_an_integer(t):
    with pytest.raises(ValueError, match="^t must be a whole number of 0 or more, got"):
        GradientOracle(lambda i, x: np.zeros((len(i), 1)), 1).posterior(t)


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson"])
def test_raw_features_are_recovered(kind):
    problem, (features, labels) = stream(kind, 40)
    f = problem.posterior(features, labels)
    np.testing.assert_allclose(f.features, features, rtol=1e-15)
    np.testing.assert_allclose(f.labels, labels, rtol=1e-15)


def test_logistic_potential_is_the_papers():
    x, y, theta = np.array([[1.0, -2.0], [0.5, 3.0]]), np.array([1, -1]), np.array([0.3, -0.7])
    f = LogisticRegression(2, prior_precision=2.0).posterior(x, y)
    expected = np.log1p(np.exp(-y * (x @ theta))).sum() + 0.5 * 2.0 * theta @ theta
    assert f.potential(theta) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson"])
def test_the_anchors_score_is_recovered_even_when_saturated(kind):
    problem = posterior(kind).problem
    scores = np.array([-600.0, -40.0, -1.0, 0.0, 2.0, 30.0])
    # logit loses digits only if the mean rounds to 1: error 1e-3 at score 30
    np.testing.assert_allclose(problem.score_of_mean(problem.mean_function(scores)), scores, rtol=1e-3, atol=1e-9)


def test_an_oracles_hessian_is_a_difference_and_it_has_no_potential():
    f = posterior("logistic")
    oracle = GradientOracle(lambda i, x: f.term_gradients(x, i), 3, lambda x: f.problem.prior_precision * x)
    theta = np.array([0.2, -0.1, 0.4])
    np.testing.assert_allclose(oracle.posterior(40).hessian(theta), f.hessian(theta), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(oracle.posterior(40).gradient(theta), f.gradient(theta), rtol=1e-12)
    with pytest.raises(ValueError, match="potential"):
        oracle.posterior(40).potential(theta)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: PoissonRegression(1).posterior([[1.0]], [1.5]), "count"),
    (lambda: PoissonRegression(1).posterior([[1.0]], [-1]), "count"),
    (lambda: GaussianMean(2).posterior([[1.0, 2.0, 3.0]]), "shape"),
    (lambda: GaussianMean(2).posterior([[1, 2]], [1]), "label must be left out for GaussianMean"),
    (lambda: GaussianAverage([1.0]).posterior(np.zeros((2, 1)), np.zeros(2)), "label must be left out for GaussianAverage"),
    (lambda: GradientOracle(3, 2), "gradients must be callable"),
    (lambda: GradientOracle(len, 2, "x"), "prior_gradient must be callable"), (lambda: GradientOracle(len, 0), "dim"),
    (lambda: GradientOracle(len, 3, watch=1), "watch must be True or False, got 1"),
    (lambda: GradientOracle(len, 3, factor=len, curvature=len), "factor must be None if curvature is passed"),
    (lambda: GradientOracle(len, 3, factor=3), "factor must be callable"),
    (lambda: GradientOracle(len, 3, factor=len, prior_curvature=-1.0), r"prior_curvature must be in \[0, 1e\+50\]"),
    (lambda: GradientOracle(len, 3, prior_curvature=1.0),
     "prior_curvature must be left out without curvature and factor, got 1.0"),
])
def test_bad_data_and_functions_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


ROWS = 4096


def test_paper_data_have_the_stated_shapes_and_laws():
    features, labels, theta = synthetic_logistic(20_000, 20, sparsity=5, seed=3)
    assert features.shape == (20_000, 21) and labels.shape == (20_000,) and theta.shape == (21,)
    assert set(np.unique(features)) == {0.0, 1.0} and set(np.unique(labels)) == {0.0, 1.0}
    assert (features[:, -1] == 1).all()
    # each of 400,000 features is Bernoulli(1/4): sd of the mean 0.0007; six sd
    assert abs(features[:, :-1].mean() - 0.25) < 0.0042
    probability = 1 / (1 + np.exp(-features @ theta))
    # sd of the mean label at most 0.5/sqrt(20,000) = 0.0035; six sd
    assert abs((labels - probability).mean()) < 0.022


def test_disk_features_have_unit_second_moments():
    features = synthetic_stream("logistic", 2, "paper", ROWS, seed=1).features
    assert np.linalg.norm(features, axis=1).max() <= 2
    # variance of x^2 is E x^4 - 1 = 1 in a disk of radius 2: sd of the mean 1/64; six sd
    assert np.allclose(features.T @ features / ROWS, np.eye(2), atol=6 / 64)


def test_separable_labels_are_parted_by_the_truth():
    separable = synthetic_stream("logistic", 2, "separable", ROWS, seed=1)
    assert ((separable.features @ separable.theta > 0) == separable.labels).all()
    paper = synthetic_stream("logistic", 2, "paper", ROWS, seed=1)
    assert ((paper.features @ paper.theta > 0) != paper.labels).mean() > 0.1


def test_drifting_truth_moves_the_fit():
    drifting = synthetic_stream("linear", 2, "drifting", ROWS, seed=1)
    halves = zip(np.split(drifting.features, 2), np.split(drifting.labels, 2), strict=True)
    early, late = (np.linalg.lstsq(features, labels)[0] for features, labels in halves)
    # sd of each fit about 1/sqrt(2048) = 0.022; the truth, of length 1.8, rotates 0.6 radians per octave
    assert np.linalg.norm(early - late) > 0.5


def test_ill_conditioned_curvatures_differ_a_hundredfold():
    features = synthetic_stream("linear", 2, "ill_conditioned", ROWS, seed=1).features
    assert np.linalg.cond(features.T @ features) == pytest.approx(100, rel=0.2)


def test_outliers_lengthen_the_longest_row():
    longest = {name: np.linalg.norm(synthetic_stream("logistic", 2, name, ROWS, 1).features, axis=1).max()
               for name in ("paper", "outliers")}
    assert longest["outliers"] > 4 * longest["paper"]
