"""Gaussian model: the analytic floor, the rate of CHC Theorem 4.1, independence of slices."""

import numpy as np
import pytest
from scipy import stats

from sampler.coreset import (
    PAPER_MEMORY,
    Adam,
    CoresetMCMC,
    GaussianKernel,
    GaussianLocation,
    HotDoG,
    RepeatedPoints,
    SliceSampler,
    Untrained,
    WeightConvergence,
    gaussian_floor,
    run_side_by_side,
    weight_convergence,
)
from tests.sampler.coreset import plain_loop


@pytest.fixture(scope="module")
def paper():
    return GaussianLocation.synthetic()


def median_z(model, size, iterations, trials, **options):
    runs = run_side_by_side([CoresetMCMC(model, size, seed=seed, **options) for seed in range(trials)], iterations)
    return np.median([run.z_score_at([iterations])[0] for run in runs]), runs


def test_a_run_is_independent_of_concurrent_runs(paper):
    specifications = [CoresetMCMC(paper, size, seed=seed) for size in (50, 100) for seed in range(3)]
    alone = [specification.run(300) for specification in specifications]
    for threads in (1, 3):
        for one, other in zip(alone, run_side_by_side(specifications, 300, threads), strict=True):
            np.testing.assert_array_equal(one.weights, other.weights)
            np.testing.assert_array_equal(one.z_score, other.z_score)
            assert one.hot_start_iteration == other.hot_start_iteration
    assert {run.t for run in run_side_by_side(specifications, 300, 3, stop=lambda: True)} == {0}


def test_hot_dog_reaches_the_floor_at_reduced_length(paper):
    # z of a trial is a mean of d = 20 squared normals: relative sd sqrt(2 / 20) = 0.32; of a median of ten,
    # 1.25 * 0.32 / sqrt(10) = 0.13. The floor omits the noise of the draws, 1 / (T / 2 * 2) = 1e-4 of 0.02, and the
    # remaining distance to the optimum, 10 to 20 % at T = 10,000. Three sd around 1.1.
    z, _ = median_z(paper, 500, 10_000, 10)
    assert 0.65 < z / gaussian_floor(paper.n, 500, paper.dim, 10_000) < 1.6


def test_the_z_score_does_not_detect_a_far_too_narrow_posterior(paper):
    z, runs = median_z(paper, 100, 20_000, 3, optimizer=Adam(10.0, "constant"))
    assert z < 2.5 * gaussian_floor(paper.n, 100, paper.dim, 20_000)
    assert max(run.variance_ratio for run in runs) < 0.2
    run = runs[0]
    assert run.variance_ratio == pytest.approx((1 + paper.n) / (1 + run.weights.sum()))
    assert run.weight_sums[-1] == pytest.approx(run.weights.sum() / paper.n)


def test_the_same_seed_gives_the_same_run_in_any_slices():
    model = GaussianLocation.synthetic(500, 3, 0)
    whole = CoresetMCMC(model, 40, seed=5).run(700)
    parts = CoresetMCMC(model, 40, seed=5).start()
    for n in (1, 59, 7, 0, 233, 400):
        parts.advance(n)
    np.testing.assert_array_equal(whole.weights, parts.weights)
    np.testing.assert_array_equal(whole.z_score, parts.z_score)
    np.testing.assert_array_equal(whole.gradient_norms, parts.gradient_norms)
    assert whole.history.iterations == parts.history.iterations
    assert not np.array_equal(whole.weights, CoresetMCMC(model, 40, seed=6).run(700).weights)


def test_z_score_is_eq_6_of_the_second_half_of_the_draws():
    model = GaussianLocation.synthetic(500, 3, 0)
    run, draws = CoresetMCMC(model, 40, chains=3, seed=5).start(), []
    for _ in range(301):
        draws.append(run.advance(1).positions)
    draws = np.array(draws)
    for t in (1, 2, 3, 100, 301):
        half = draws[t // 2:t].reshape(-1, 3)
        z = np.mean(((half.mean(axis=0) - model.truth.mean) / model.truth.std) ** 2)
        assert run.z_score[t - 1] == pytest.approx(z, rel=1e-9)
        spread = np.mean(half.var(axis=0) / model.truth.std**2)
        assert run.variance_ratio_at([t])[0] == pytest.approx(spread, rel=1e-9)
    assert run.z_score.shape == run.gradient_norms.shape == run.weight_sums.shape == (301,)


@pytest.mark.parametrize("kernel", [GaussianKernel(), GaussianKernel(PAPER_MEMORY), SliceSampler(width=0.05)])
def test_kernels_leave_the_posterior_invariant(kernel):
    model = GaussianLocation.synthetic(400, 3, 1)
    # With all data at weight 1 the coreset posterior is the full one.
    run = CoresetMCMC(model, 400, Untrained(), kernel=kernel, seed=2, start="near").run(20_000)
    # 20,000 draws, autocorrelation time at most 18: mean squared z below 3.8 * 18 / 20000 (chi-square with 3 degrees
    # of freedom over 3, probability 1 %); variances have sd sqrt(2 * 9 / 20000) = 0.03 each.
    assert run.z_score[-1] < 18 / 20_000 * 3.8
    assert run.variance_ratio_at([20_000])[0] == pytest.approx(1.0, abs=0.07)


def test_history_is_kept_at_log_spaced_iterations():
    run = CoresetMCMC(GaussianLocation.synthetic(500, 3, 0), 40, HotDoG(), seed=0).run(2000)
    marks = np.array(run.history.iterations)
    assert list(marks[:10]) == list(range(1, 11)) and marks[-1] > 1800 and len(marks) < 90
    low, middle, high = np.array(run.history.rates).T
    trained = marks > run.hot_start_iteration
    assert np.isnan(middle[~trained]).all() and np.all((low <= middle)[trained] & (middle <= high)[trained])


def test_progress_and_stop():
    model, seen = GaussianLocation.synthetic(500, 3, 0), []
    run = CoresetMCMC(model, 40).run(5000, progress=lambda done, total: seen.append((done, total)),
                                     stop=lambda: len(seen) >= 2)
    assert seen == [(1000, 5000), (2000, 5000)] and run.t == 2000


def test_plain_and_compiled_weights_have_the_same_law():
    """The compiled loop against plain NumPy."""
    model = GaussianLocation.synthetic(1000, 4, 0)
    plain = [plain_loop.numpy_hot_dog(model.rows[:, :4], 30, 400, seed) for seed in range(25)]
    fast = [CoresetMCMC(model, 30, hot_start=False, seed=seed).run(400).weights for seed in range(25)]
    moved, expected = (np.median(np.abs(np.array(w) - 1000 / 30), axis=1) for w in (fast, plain))
    assert stats.ks_2samp(moved, expected).pvalue > 1e-3 and np.median(expected) > 0.05


def test_the_copies_are_the_weights_of_an_exact_coreset():
    model = RepeatedPoints.synthetic(n=40, dim=3, seed=2, size=4)
    assert model.n == model.optimum.sum() == 40 and model.optimum[0] < model.optimum[-1]
    points = model.pick(4, np.random.default_rng(0))
    assert np.array_equal(np.unique(model.rows[points, :3], axis=0), np.unique(model.rows[:, :3], axis=0))
    for theta in np.random.default_rng(1).normal(size=(5, 3)):
        whole = model.log_likelihood(theta, np.arange(40)).sum()
        assert model.optimum @ model.log_likelihood(theta, points) == pytest.approx(whole)
    assert CoresetMCMC(model, 4, hot_start=False).start().weights == pytest.approx(np.full(4, 10.0))


def test_a_power_law_has_its_exponent_and_no_error():
    t = np.unique(np.logspace(0, 5, 41).round().astype(int))
    exact = WeightConvergence(t, np.outer([1.0, 3.0], t**-0.5), 1.0, 40, 10)
    assert exact.slope == pytest.approx(-0.5) and exact.slope_error == pytest.approx(0.0, abs=1e-12)
    assert exact.mean == pytest.approx(2.0 * t**-0.5)
    late = np.where(t * 30 < t[-1], 1e3, 1.0)  # only the last factor of 30 counts
    assert WeightConvergence(t, exact.errors * late, 1.0, 40, 10).slope == pytest.approx(-0.5)
    two = WeightConvergence(t, np.array([t**-0.4, t**-0.8]), 1.0, 40, 10)
    assert two.slope == pytest.approx(-0.6) and two.slope_error == pytest.approx(0.2)


def test_weights_come_near_the_optimum():
    result = weight_convergence(RepeatedPoints.synthetic(), 20_000, seeds=4)
    assert result.start == pytest.approx(((5.5 - np.arange(1, 11)) ** 2).sum())
    assert result.errors.shape == (4, len(result.iterations)) and result.iterations[-1] == 20_000
    assert result.errors[:, 0] == pytest.approx(result.start, rel=0.01) and result.mean[-1] < result.start / 100
    again = CoresetMCMC(RepeatedPoints.synthetic(), 10, chains=10, subsample=40, hot_start=False, seed=3).run(20_000)
    assert ((again.weights - np.arange(1, 11)) ** 2).sum() == pytest.approx(result.errors[3, -1])
    assert weight_convergence(RepeatedPoints.synthetic(), 1000, stop=lambda: True) is None


@pytest.mark.slow
def test_the_rate_is_one_over_root_t():
    result = weight_convergence(RepeatedPoints.synthetic(), 1_000_000, seeds=16)
    assert result.slope_error < 0.06
    assert result.slope == pytest.approx(-0.5, abs=4 * result.slope_error)
