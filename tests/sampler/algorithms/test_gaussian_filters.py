"""Laplace, warm and online Laplace, R-VGA: exact for quadratic F_t, against SciPy's minimisers otherwise; costs."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, roots_hermitenorm

from sampler import (
    CvSGLD,
    GradientOracle,
    LogisticRegression,
    PoissonRegression,
    Settings,
    WarmLaplace,
    find_mode,
    gaussian_reference,
)
from sampler.algorithms.laplace import Laplace, OnlineLaplace
from sampler.algorithms.recursive_vga import (
    EM_STEPS,
    PROBIT,
    FactoredPrecision,
    RecursiveVGA,
    WholeCovariance,
    logistic_expectations,
    poisson_expectation,
)
from sampler.algorithms.warm_laplace import implicit_score, next_refit
from tests.sampler.algorithms.streams import CountingOracle, assert_normal, stream


@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_an_oracles_hessian_is_counted(kind):
    problem, data = stream(kind, 15)
    oracle = CountingOracle(problem, data)
    ours, theirs = Laplace(problem, chains=2, seed=1), Laplace(oracle.problem, chains=2, seed=1, start=np.zeros(3))
    for i in range(15):
        ours.observe(*(part[i] for part in data))
        theirs.observe()
    np.testing.assert_allclose(theirs.mean, ours.mean, atol=1e-5)
    np.testing.assert_allclose(theirs.covariance, ours.covariance, rtol=1e-3, atol=1e-6)
    assert oracle.count == theirs.gradient_evaluations > 3 * ours.gradient_evaluations


@pytest.mark.parametrize(("make", "datum"), [
    *((lambda kind=kind: kind(LogisticRegression(2, prior_precision=0.0), chains=2), ([1.0, 0.0], 1))
      for kind in (Laplace, WarmLaplace, CvSGLD)),
    (lambda: Laplace(GradientOracle(lambda i, x: np.ones((len(i), 2)), 2), chains=2), ())])
def test_a_missing_mode_or_hessian_is_an_error_and_only_the_evaluations_change(make, datum):
    s = make()
    before = s.snapshot()
    for call in (s.observe, s.arrive):
        evaluated = s.gradient_evaluations
        with pytest.raises(ValueError, match="prior_precision above 0|check_gradient"):
            call(*datum)
        assert s.gradient_evaluations > evaluated
        after = {**s.snapshot().meta, "gradient_evaluations": 0}
        assert after == before.meta and s.t == s.posterior.t == 0


def test_draws_are_new_in_every_epoch_and_settings_do_not_matter():
    problem, data = stream("logistic", 40)
    runs = [Laplace(problem, settings, chains=500, seed=2) for settings in (None, Settings(eta0=5.0, i_max=7))]
    first, second = (s.observe(*(part[:39] for part in data)).samples for s in runs)
    np.testing.assert_array_equal(first, second)
    later = runs[0].observe(*(part[39] for part in data)).samples
    correlation = np.corrcoef(first[:, 0], later[:, 0])[0, 1]
    assert abs(correlation) < 5 / np.sqrt(500)


def test_every_update_is_the_papers():
    problem, (features, labels) = stream("logistic", 40)
    s = OnlineLaplace(problem, chains=2)
    mean, precision = np.zeros(3), np.ones(3)
    for row, label in zip(features, 2.0 * labels - 1.0, strict=True):
        def objective(w, mean=mean, precision=precision, row=row, label=label):
            return 0.5 * precision @ (w - mean) ** 2 + np.logaddexp(0.0, -label * (row @ w))
        w = minimize(objective, mean, method="BFGS", options={"gtol": 1e-9}).x
        p = 1 / (1 + np.exp(-row @ w))
        mean, precision = w, precision + row**2 * p * (1 - p)
        s.observe(row, label)
        np.testing.assert_allclose(s.mean, mean, atol=2e-6)
        np.testing.assert_allclose(s.precision, precision, rtol=1e-5)
        mean, precision = s.mean, s.precision


SCORES, LEVERAGES = [-1e4, -30.0, -1.0, 0.0, 2.0, 50.0, 1e4], [1e-8, 0.1, 3.0, 100.0, 1e6]
MEANS = {"logistic": expit, "linear": float, "poisson": math.exp}


@pytest.mark.parametrize("sampler", [Laplace, WarmLaplace, RecursiveVGA])
@pytest.mark.parametrize("kind", ["linear", "gaussian"])
def test_it_is_exact_at_every_datum_where_the_posterior_is_gaussian(kind, sampler):
    problem, data = stream(kind, 72)
    s = sampler(problem, chains=1000, seed=3)
    for i in range(72):
        epoch = s.observe(*(part[i] for part in data))
        truth = gaussian_reference(s.posterior)
        # Laplace evaluates the first gradient, then one pass per Newton step; every pass is over t data.
        passes, rest = divmod(epoch.gradient_evaluations, i + 1)
        assert sampler is not Laplace or rest == 0 and 2 <= passes <= 12
        np.testing.assert_allclose(s.mean, truth.mean, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(s.covariance, truth.covariance, rtol=1e-10, atol=1e-12)
        assert sampler is not RecursiveVGA or epoch.gradient_evaluations == 1
    assert sampler is not WarmLaplace or s.fitted < 72  # the last datum was filtered, not fitted
    assert_normal(epoch.samples, truth.mean, truth.covariance)


@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_its_mode_at_a_refit_is_scipys_and_its_covariance_the_hessians(kind):
    problem, data = stream(kind, 400)
    s = WarmLaplace(problem, chains=2)
    refits = 0
    for i in range(400):
        s.observe(*(part[i] for part in data))
        if s.fitted == s.t and s.t in (1, 2, 20, 100, 106, 300) or s.t == s.fitted > 380:
            refits += 1
            posterior = s.posterior
            optimum = minimize(posterior.potential, np.zeros(3), jac=posterior.gradient, hess=posterior.hessian,
                               method="trust-exact", options={"gtol": 1e-9})
            hessian = posterior.hessian(optimum.x)
            off = np.abs((s.mean - optimum.x) * np.sqrt(np.diag(hessian))).max()
            # The error is the square of the last step, at most 0.01 widths, times the curvature change over one, 1/sqrt(t).
            assert off < 2e-4 / np.sqrt(s.t)
            np.testing.assert_allclose(np.linalg.inv(s.covariance), hessian, rtol=1e-3, atol=1e-3 * np.abs(hessian).max())
    assert refits >= 3


@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_between_two_refits_it_stays_near_the_mode(kind):
    problem, data = stream(kind, 600)
    s = WarmLaplace(problem, chains=2)
    s.observe(*data)
    stale = WarmLaplace(problem, chains=2)
    stale.observe(*(part[:s.fitted] for part in data))
    mode, covariance = find_mode(s.posterior), np.linalg.inv(s.posterior.hessian(find_mode(s.posterior)))
    off, before = (np.abs((law.mean - mode) / np.sqrt(np.diag(covariance))).max() for law in (s, stale))
    # The error of a filtered datum is the change of its curvature over the posterior's width, a share 1/sqrt(t): for 5 % new
    # data about 1/sqrt(600) of the cost of omitting them.
    assert s.fitted < 600 and off < 0.02 < before
    np.testing.assert_allclose(np.sqrt(np.diag(s.covariance) / np.diag(covariance)), 1.0, atol=0.02)


def test_refits_follow_the_growth_of_the_data():
    problem, data = stream("logistic", 300)
    s, fitted = WarmLaplace(problem, chains=2, refit=0.1), []
    for i in range(300):
        epoch = s.observe(*(part[i] for part in data))
        if s.fitted == s.t:
            fitted.append(s.t)
            assert epoch.gradient_evaluations % s.t == 0
        else:
            assert epoch.gradient_evaluations <= 10
    assert fitted[:12] == [*range(1, 12), 13] and next_refit(13, 0.1) == 15 == fitted[12]
    assert all(later == next_refit(earlier, 0.1) for earlier, later in zip(fitted, fitted[1:], strict=False))
    again = WarmLaplace.from_snapshot(s.snapshot())
    assert (again.refit, again.fitted) == (0.1, s.fitted)


def test_refitted_at_every_datum_it_is_full_laplace():
    problem, data = stream("poisson", 60)
    warm, full = WarmLaplace(problem, chains=3, seed=1, refit=0), Laplace(problem, chains=3, seed=1)
    np.testing.assert_allclose(warm.observe(*data).samples, full.observe(*data).samples, atol=1e-4)
    assert warm.gradient_evaluations < full.gradient_evaluations


@pytest.mark.parametrize("kind", MEANS)
def test_the_filters_step_is_the_minimiser_on_its_line(kind):
    target, scores = {"logistic": 0.0, "linear": 1.5, "poisson": 4.0}[kind], SCORES if kind == "logistic" else SCORES[1:-1]
    for score, leverage in product(scores, [0.0, *LEVERAGES]):
        z, made = implicit_score(kind, score, leverage, target)
        scale = 1 + abs(score) + leverage * (1 + target)
        assert abs(z + leverage * (MEANS[kind](z) - target) - score) < 1e-10 * scale and made <= 20


def test_the_papers_two_equations_hold_from_anywhere():
    for score, leverage in product(SCORES, LEVERAGES):
        expected, curvature, made = logistic_expectations(score, leverage)
        mean, variance = score - leverage * expected, leverage / (1 + leverage * curvature)
        k = math.sqrt(PROBIT / (PROBIT + variance))
        assert expected == pytest.approx(expit(k * mean), rel=1e-6, abs=1e-9)
        assert curvature == pytest.approx(k * expit(k * mean) * expit(-k * mean), rel=1e-6, abs=1e-9)
        assert made < 80


def test_poissons_equation_holds_from_anywhere():
    for score, leverage, count in product([-50.0, -1.0, 0.0, 2.0, 30.0], LEVERAGES, [0, 1, 40]):
        expected, made = poisson_expectation(score, leverage, count)
        mean, variance = score - leverage * (expected - count), leverage / (1 + leverage * expected)
        within = 1e-9 * (1 + abs(score) + leverage * (1 + count))
        assert math.log(expected) == pytest.approx(mean + variance / 2, abs=within)
        assert made < 30


NODES, WEIGHTS = roots_hermitenorm(60)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def divergence(parameters, before, problem, row, target):
    """Return the KL divergence of N(m, LL') from N(m', P') times the likelihood, up to a constant."""
    mean, lower = parameters[:2], np.array([[np.exp(parameters[2]), 0.0], [parameters[3], np.exp(parameters[4])]])
    precision = np.linalg.inv(before.covariance)
    away = mean - before.mean
    prior = 0.5 * (away @ precision @ away + np.trace(precision @ lower @ lower.T)) - parameters[2] - parameters[4]
    scores = row @ mean + np.linalg.norm(lower.T @ row) * NODES
    return prior + WEIGHTS @ problem.score_loss(scores, np.full(60, target))


@pytest.mark.parametrize(("kind", "within"), [("poisson", 1e-4), ("logistic", 0.02)])
def test_a_datum_leads_to_the_nearest_gaussian(kind, within):
    """Poisson to the accuracy of the minimiser; logistic to that of the probit approximation, 0.01 of a probability."""
    problem, data = stream(kind, 6, dim=2, seed=3)
    s = RecursiveVGA(problem, chains=2)
    for i in range(6):
        before = RecursiveVGA.from_snapshot(s.snapshot())
        s.observe(*(part[i] for part in data))
        row, target = s.posterior.rows[-1], s.posterior.targets[-1]
        lower = np.linalg.cholesky(before.covariance)
        start = [*before.mean, np.log(lower[0, 0]), lower[1, 0], np.log(lower[1, 1])]
        best = minimize(divergence, start, (before, problem, row, target), "BFGS", options={"gtol": 1e-8}).x
        root = np.array([[np.exp(best[2]), 0.0], [best[3], np.exp(best[4])]])
        sd = np.sqrt(np.diag(before.covariance))
        np.testing.assert_allclose(s.mean / sd, best[:2] / sd, atol=within)
        np.testing.assert_allclose(s.covariance / np.outer(sd, sd), root @ root.T / np.outer(sd, sd), atol=within)


@pytest.mark.parametrize("rank", [None, 2])
def test_it_matches_the_authors_code(rank):
    """L-RVGA at its last commit, ``RVGALogReg`` and ``LargeScaleRVGALogReg(nbInnerLoop=3)``, with roots within 1e-6."""
    rng = np.random.default_rng(7)
    features, factors = rng.standard_normal((40, 6)), 0.1 * rng.standard_normal((6, 2))
    labels = (rng.random(40) < 0.5).astype(float)
    s = RecursiveVGA(LogisticRegression(6), chains=2, rank=rank)
    if rank:
        s._law = FactoredPrecision(factors, np.ones(6))
        mean = [-0.31811943, 0.36710743, 0.08159254, -0.40738756, -0.08979004, -0.41793267]
    else:
        mean = [-0.33288482, 0.44588266, 0.17825673, -0.42142996, -0.16836496, -0.49765371]
    s.observe(features, labels)
    np.testing.assert_allclose(s.mean, mean, atol=1e-5)
    if not rank:
        sds = [0.37840621, 0.39349232, 0.40088497, 0.37785331, 0.44221311, 0.51308897]
        np.testing.assert_allclose(np.sqrt(np.diag(s.covariance)), sds, rtol=1e-5)
        return
    psi = [7.12833533, 7.68363595, 6.3313814, 6.63304487, 5.55727551, 3.84582903]
    np.testing.assert_allclose(s._law.diagonal, psi, rtol=1e-5)
    theirs = np.array([[-0.16777186, 0.296914], [0.81056708, -0.34235705], [-1.24439265, 0.2165036],
                       [-0.80092546, -0.4759937], [0.14538378, -0.15621543], [-0.368191, -0.40612042]])
    np.testing.assert_allclose(s._law.factors, theirs, atol=1e-5)


@pytest.mark.parametrize("kind", MEANS)
def test_while_a_factor_is_free_no_datum_loses_anything(kind):
    problem, data = stream(kind, 9, dim=12)
    few, whole = (RecursiveVGA(problem, chains=2, rank=rank) for rank in (9, 12))
    for i in range(9):
        for s in (few, whole):
            s.observe(*(part[i] for part in data))
        np.testing.assert_allclose(few.mean, whole.mean, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(few.covariance, whole.covariance, rtol=1e-9, atol=1e-12)


def test_a_step_is_that_of_em_for_factor_analysis_and_leads_nearer():
    """Rubin and Thayer's formulas with full matrices; for a Gaussian of covariance S, EM never lowers the likelihood."""
    rng = np.random.default_rng(2)
    law, row = FactoredPrecision(rng.standard_normal((5, 2)), rng.uniform(0.5, 2.0, 5)), rng.standard_normal(5)
    target = law.factors @ law.factors.T + np.diag(law.diagonal) + 1.7 * np.outer(row, row)
    factors, diagonal, far = law.factors, law.diagonal, []
    for _ in range(EM_STEPS):
        model = factors @ factors.T + np.diag(diagonal)
        far.append(np.linalg.slogdet(model)[1] + np.trace(np.linalg.solve(model, target)))
        beta = factors.T @ np.linalg.inv(model)
        second = np.eye(2) - beta @ factors + beta @ target @ beta.T
        factors = target @ beta.T @ np.linalg.inv(second)
        diagonal = np.diag(target - factors @ beta @ target)
    law.add(row, 1.7)
    np.testing.assert_allclose(law.factors, factors, rtol=1e-10)
    np.testing.assert_allclose(law.diagonal, diagonal, rtol=1e-10)
    assert (np.diff(far) < 0).all() and np.linalg.slogdet(target)[1] + 5 < far[-1]
    for vector in (row, np.eye(5)[0]):
        ahead, leverage = law.along(vector)
        np.testing.assert_allclose(ahead, law.root() @ law.root().T @ vector, rtol=1e-10)
        assert leverage == pytest.approx(vector @ ahead)
    np.testing.assert_allclose(law.root() @ law.root().T, np.linalg.inv(factors @ factors.T + np.diag(diagonal)), rtol=1e-9)


def test_draws_of_the_limited_memory_form_have_its_law_and_survive_a_file():
    problem, data = stream("logistic", 30, dim=4)
    s = RecursiveVGA(problem, chains=1000, seed=3, rank=1)
    s.observe(*(part[:29] for part in data))
    again = RecursiveVGA.from_snapshot(s.snapshot())
    last = [one.observe(*(part[29] for part in data)).samples for one in (s, again)]
    np.testing.assert_array_equal(*last)
    assert_normal(last[0], s.mean, s.covariance)


def test_error_of_few_factors():
    rng = np.random.default_rng(0)
    features, truth = rng.standard_normal((400, 60)), 1.5 * rng.standard_normal(60) / math.sqrt(60)
    whole, few = (RecursiveVGA(LogisticRegression(60), chains=2, rank=rank) for rank in (60, 10))
    labels = (rng.random(400) < expit(features @ truth)).astype(float)
    for s in (whole, few):
        s.observe(features, labels)
    sds = [np.sqrt(np.diag(s.covariance)) for s in (whole, few)]
    assert 1.35 < np.abs((few.mean - whole.mean) / sds[0]).max() < 1.75
    assert 0.8 < (sds[1] / sds[0]).min() and (sds[1] / sds[0]).max() < 0.95


def test_many_dimensions_take_the_limited_memory_form_and_a_rank_is_checked(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("sampler.algorithms.recursive_vga.LARGEST_FULL", 20)
        rng, s = np.random.default_rng(4), RecursiveVGA(PoissonRegression(21), chains=3)
    s.observe(0.2 * rng.standard_normal((12, 21)), rng.integers(0, 3, 12))
    assert s._law.factors.shape == (21, 10) and np.isfinite(s.positions).all() and len(np.unique(s.positions)) == 63
    assert isinstance(RecursiveVGA(LogisticRegression(5), chains=2, rank=5)._law, WholeCovariance)
    for rank in (0, 2_001, 1.5, "few"):
        with pytest.raises(ValueError, match="rank"):
            RecursiveVGA(LogisticRegression(5), rank=rank)


def test_files_from_before_the_limited_memory_form_load():
    s = RecursiveVGA(LogisticRegression(2), chains=2)
    s.observe([1.0, 2.0], 1)
    snapshot = s.snapshot()
    del snapshot.meta["memory"]["rank"]
    np.testing.assert_array_equal(RecursiveVGA.from_snapshot(snapshot).covariance, s.covariance)


def test_a_row_of_zeros_changes_nothing():
    for rank in (None, 1):
        s = RecursiveVGA(LogisticRegression(2), chains=2, rank=rank)
        s.observe([1.0, 2.0], 1)
        mean, covariance = s.mean, s.covariance
        assert s.observe([0.0, 0.0], 1).gradient_evaluations == 0
        np.testing.assert_array_equal(s.mean, mean)
        np.testing.assert_array_equal(s.covariance, covariance)
