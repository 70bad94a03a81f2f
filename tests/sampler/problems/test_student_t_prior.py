"""Student-t priors: derivatives, the two curvatures that bound them, the law on a grid, and errors."""

import numpy as np
import pytest
from scipy.stats import t as student

from sampler import LinearRegression, LogisticRegression, OnlineSagaLD, PoissonRegression, PreconditionedSagaLD, Settings
from sampler.problems import GaussianMean, StudentTPrior, check_gradient
from sampler.problems.base import central_differences

RNG = np.random.default_rng(0)
PRIOR = StudentTPrior(3, df=2.5, scale=[0.5, 1.0, 4.0])
POINTS = np.array([[0.0, 0.0, 0.0], [0.3, -1.2, 2.0], [-2.0, 5.0, -30.0]])
FLAT = {model.kind: model for model in (LogisticRegression(1, 0.0), LinearRegression(1, 0.0), PoissonRegression(1, 0.0))}


def test_the_potential_is_the_log_density_of_independent_student_t():
    expected = -student.logpdf(POINTS / PRIOR.scale, PRIOR.df).sum(axis=1) + 3 * student.logpdf(0.0, PRIOR.df)
    np.testing.assert_allclose(PRIOR.potential(POINTS), expected, rtol=1e-10, atol=1e-12)
    assert PRIOR.potential(POINTS[1]) == pytest.approx(expected[1])


@pytest.mark.parametrize("theta", POINTS)
def test_derivatives_are_those_of_the_potential(theta):
    """Central differences of width h = 1e-5 max(1, abs(x)) have errors h^2 and rounding over h: 1e-8 here."""
    np.testing.assert_allclose(PRIOR.gradient(theta), central_differences(PRIOR.potential, theta), atol=1e-7)
    np.testing.assert_allclose(PRIOR.hessian(theta), central_differences(PRIOR.gradient, theta), atol=1e-7)
    np.testing.assert_array_equal(PRIOR.gradient(POINTS)[1], PRIOR.gradient(POINTS[1]))


@pytest.mark.parametrize(("df", "scale"), [(1.0, 1.0), (3.0, 2.5), (30.0, 0.2)])
def test_smoothness_and_concavity_are_the_extreme_curvatures(df, scale):
    prior = StudentTPrior(1, df, scale)
    x = np.linspace(-10, 10, 20_001) * scale * np.sqrt(df)  # 0 is on the grid, sqrt(3) within 5e-4: an error of 1e-7
    curvature = np.array([prior.hessian(np.array([place]))[0, 0] for place in x])
    assert prior.smoothness == pytest.approx((df + 1) / (df * scale**2)) == curvature.max()
    assert curvature.min() == pytest.approx(-prior.concavity, rel=1e-5)
    assert abs(x[curvature.argmin()]) == pytest.approx(scale * np.sqrt(3 * df), rel=1e-3)
    assert np.all((curvature > 0) == (np.abs(x) < scale * np.sqrt(df)))
    several = StudentTPrior(2, df, [scale, 7 * scale])
    assert (several.smoothness, several.concavity) == (prior.smoothness, prior.concavity)


def test_extreme_arguments_neither_overflow_nor_warn():
    prior = StudentTPrior(1, 1.0, 1.0)
    far = np.array([1e200])
    with np.errstate(all="warn"):
        assert prior.gradient(far)[0] == 0.0 and abs(prior.hessian(far)[0, 0]) == 0.0
    assert prior.gradient([1e20])[0] == pytest.approx(2e-20)  # (df + 1)/x


def test_many_degrees_of_freedom_give_the_normal_prior():
    """With 1e14 degrees of freedom the prior is N(0, s^2) to 1e-13: the chain equals the built-in model's to rounding."""
    x, y = RNG.normal(size=(20, 2)), (RNG.random(20) < 0.5).astype(float)
    prior = StudentTPrior(2, 1e14, 1.5)
    settings = Settings(eta0=0.3, batch_size=8, i_max=20)
    ours = OnlineSagaLD(prior.problem(LogisticRegression(2, 0.0), x, y), settings, chains=3, seed=1, start=[0.0, 0.0])
    theirs = OnlineSagaLD(LogisticRegression(2, 1.5**-2), settings, chains=3, seed=1, start=[0.0, 0.0])
    for row, label in zip(x, y, strict=True):
        ours.observe()
        theirs.observe(row, label)
    np.testing.assert_allclose(ours.positions, theirs.positions, rtol=1e-6)
    with pytest.raises(ValueError, match="observe must be called at most 20 times, once per row"):
        ours.observe()


X = np.array([[1.5], [-2.0], [2.5]])
Y = {"logistic": np.array([1.0, 0.0, 1.0]), "linear": np.array([2.0, -3.0, 4.0]), "poisson": np.array([4.0, 0.0, 9.0])}


@pytest.mark.parametrize(("sampler", "eta0", "kind"), [
    *((PreconditionedSagaLD, 0.3, kind) for kind in FLAT), (OnlineSagaLD, 0.03, "linear")])
def test_the_law_is_that_of_the_grid(sampler, eta0, kind):
    """Three rows far from 0. For n independent draws the Kolmogorov distance exceeds 2/sqrt(n) in 1 of 1,500 cases; 0.05
    more for the step. The normal prior of the same curvature at 0 has another law."""
    prior, model, n = StudentTPrior(1, df=3.0, scale=0.2), FLAT[kind], 200
    grid = np.linspace(-15, 15, 30_001)[:, None]
    data = model.posterior(X, Y[kind]).potential(grid)

    def gap(draws, potential):
        weight = np.exp(-(potential - potential.min()))
        law = np.interp(np.sort(draws), grid[:, 0], weight.cumsum() / weight.sum())
        return max(np.max(law - np.arange(n) / n), np.max(np.arange(1, n + 1) / n - law))

    settings = Settings(eta0, batch_size=2, i_max=1, random_length=False)
    chains = sampler(prior.problem(model, X, Y[kind]), settings, chains=n, seed=2)
    for steps in (1, 1, 200):
        chains.settings = settings.replace(i_max=steps)
        chains.observe()
    draws = chains.positions[:, 0]
    tolerance = 2 / np.sqrt(n) + 0.05
    assert gap(draws, data + prior.potential(grid)) < tolerance < gap(draws, data + 0.5 * prior.smoothness * grid[:, 0]**2)


@pytest.mark.parametrize("kind", FLAT)
def test_its_problem_passes_the_check_of_gradients(kind):
    check = check_gradient(StudentTPrior(1).problem(FLAT[kind], X, Y[kind]), 3)
    assert check.ok, check.faults


def test_invalid_priors_are_rejected():
    x, y = np.zeros((2, 3)), np.zeros(2)
    for arguments, words in [({"df": 0.0}, "df must be"), ({"df": "3"}, "df must be"), ({"scale": -1.0}, "scale must be in"),
                             ({"scale": [1.0, 2.0]}, "one number or 3 of them"), ({"scale": np.nan}, "scale must be")]:
        with pytest.raises(ValueError, match=words):
            StudentTPrior(3, **arguments)
    for model, words in [(GaussianMean(3), "model must be of type GeneralizedLinearModel"),
                         (LogisticRegression(2, 0.0), "model must have the prior's dim 3, got 2"),
                         (LogisticRegression(3), "model must have prior_precision=0")]:
        with pytest.raises(ValueError, match=words):
            PRIOR.problem(model, x, y)
    with pytest.raises(ValueError, match="theta must be one point"):
        PRIOR.hessian(POINTS)
