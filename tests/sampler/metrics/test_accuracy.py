import numpy as np
import pytest
from scipy.special import ndtr

from sampler.metrics.accuracy import (
    debiased_accuracy,
    marginal_accuracy,
    total_variation_marginals,
    uniform_accuracy,
)
from sampler.metrics.bin_noise import mean_deviation, mean_difference
from sampler.metrics.ceiling import accuracy_ceiling, exact_ceiling


def test_same_draws_score_one_and_disjoint_draws_zero():
    draws = np.random.default_rng(0).normal(size=(500, 3))
    assert marginal_accuracy(draws, draws) == 1.0
    assert marginal_accuracy(draws + 1e6, draws) == pytest.approx(0.0, abs=1e-12)


def test_a_shift_moves_the_score_by_the_normal_total_variation():
    # N(0.5, 1) against N(0, 1): TV = 2 Phi(0.25) - 1 = 0.1974; 10^6 draws leave noise of about 1e-3.
    rng = np.random.default_rng(1)
    score = marginal_accuracy(rng.normal(0.5, 1, size=(10**6, 1)), rng.normal(size=(10**6, 1)))
    assert score == pytest.approx(1 - 0.1974, abs=0.004)


def test_uniforms_of_a_shift_are_off_by_the_normal_total_variation():
    draws = np.random.default_rng(4).normal(0.5, 1, size=(10**6, 2))
    np.testing.assert_allclose(total_variation_marginals(ndtr(draws)), 0.1974, atol=0.004)


def test_coordinates_are_averaged_and_units_do_not_matter():
    rng = np.random.default_rng(2)
    samples, reference = rng.normal(size=(400, 2)), rng.normal(size=(300, 2))
    each = [marginal_accuracy(samples[:, [i]], reference[:, [i]]) for i in range(2)]
    scale = np.array([1e-3, 7.0])
    assert marginal_accuracy(samples * scale, reference * scale) == pytest.approx(np.mean(each))


@pytest.mark.parametrize(
    ("n", "m", "expected"),
    [
        # The normal approximation gives 0.922, 0.945, 0.878, 0.776; exact binomial deviations, as measured,
        # a little more.
        (1000, 1000, 0.9235),
        (1000, 50_000, 0.945),
        (256, 1000, 0.8803),
        (64, 1000, 0.7826),
    ],
)
def test_ceiling_is_what_exact_draws_score(n, m, expected):
    assert exact_ceiling(n, reference_draws=m).mean == pytest.approx(expected, abs=0.001)
    rng = np.random.default_rng(3)
    reference = rng.normal(size=(m, 4))
    assert accuracy_ceiling(reference, n) == pytest.approx(expected, abs=0.003)
    scores = [marginal_accuracy(rng.normal(size=(n, 4)), rng.normal(size=(m, 4))) for _ in range(12)]
    # One score has sd 0.0135 (n = m = 1000) to 0.039 (n = 64) a coordinate; 48 of them: four standard errors.
    assert np.mean(scores) == pytest.approx(expected, abs=4 * exact_ceiling(n, 4, m).sd / np.sqrt(12))


def test_exact_ceiling_and_its_spread_are_those_of_uniforms():
    ceiling = exact_ceiling(1024, dim=2)
    assert ceiling.mean == pytest.approx(0.946, abs=5e-4)
    assert ceiling.sd == pytest.approx(0.0066, abs=1e-4)
    rng = np.random.default_rng(4)
    scores = [uniform_accuracy(rng.random((1024, 2))) for _ in range(400)]
    # Standard error of the mean 0.0066/20; of the sd 0.0066/sqrt(800): four of each.
    assert np.mean(scores) == pytest.approx(ceiling.mean, abs=0.0014)
    assert np.std(scores) == pytest.approx(ceiling.sd, abs=0.001)


def test_binomial_deviations_match_counting():
    from scipy.stats import binom

    for n, p in ((1, 0.3), (7, 0.01), (50, 0.2), (1000, 0.0987)):
        counts = np.arange(n + 1)
        assert mean_deviation(p, n) == pytest.approx(np.sum(binom.pmf(counts, n, p) * np.abs(counts / n - p)))
    for n, m, p in ((10, 15, 0.03), (30, 20, 0.3), (64, 100, 0.004)):
        gaps = np.abs(np.arange(n + 1)[:, None] / n - np.arange(m + 1) / m)
        exact = binom.pmf(np.arange(n + 1), n, p) @ gaps @ binom.pmf(np.arange(m + 1), m, p)
        assert mean_difference(p, n, m) == pytest.approx(exact, rel=0.01)


def test_uniform_ends_are_counted():
    assert total_variation_marginals(np.array([[0.0], [1.0]]))[0] == pytest.approx(1.0, abs=1e-6)


def test_debiased_adds_the_ceilings_loss():
    assert debiased_accuracy(0.92, 0.946) == pytest.approx(0.974)


@pytest.mark.parametrize(
    "call",
    [
        lambda: marginal_accuracy(np.zeros((3, 2)), np.zeros((5, 2))),
        lambda: marginal_accuracy(np.full((3, 1), np.nan), np.arange(5.0)[:, None]),
        lambda: marginal_accuracy(np.zeros((0, 1)), np.arange(5.0)[:, None]),
        lambda: marginal_accuracy(np.zeros((3, 2)), np.arange(5.0)[:, None]),
        lambda: marginal_accuracy(np.zeros(3), np.arange(5.0)[:, None]),
        lambda: marginal_accuracy([["a"]], np.arange(5.0)[:, None]),
        lambda: accuracy_ceiling(np.arange(5.0)[:, None], 0),
        lambda: exact_ceiling(10.5),
        lambda: uniform_accuracy(np.array([[1.2]])),
        lambda: uniform_accuracy(np.array([[np.nan]])),
        lambda: debiased_accuracy(np.nan, 0.9),
    ],
)
def test_bad_input_is_refused_with_words(call):
    with pytest.raises(ValueError, match="must"):
        call()
