import numpy as np
import pytest
from scipy.special import ndtr

from sampler.metrics.diagnostics import chain_diagnostics, nested_rhat
from sampler.metrics.independence import successive_correlation
from sampler.metrics.joint_tv import joint_total_variation
from sampler.metrics.wasserstein import gaussian_wasserstein


def test_correlation_of_an_autoregression():
    rng = np.random.default_rng(0)
    before = rng.normal(size=(4000, 2))
    after = np.array([0.9, 0.0]) * before + np.sqrt([1 - 0.81, 1.0]) * rng.normal(size=(4000, 2))
    found = successive_correlation(before, after)
    # Two coordinates, each within its band with probability sqrt(0.95): the normal quantile at 0.98734, 2.2365.
    assert found.band == pytest.approx(2.2365 / np.sqrt(4000), rel=2e-3)
    assert found.correlation[0] == pytest.approx(0.9, abs=4 * (1 - 0.81) / np.sqrt(4000))
    assert abs(found.correlation[1]) < 4 / np.sqrt(4000)
    assert found.largest == found.correlation[0]


@pytest.mark.parametrize(("pairs", "dim"), [(15, 2), (64, 2), (64, 21), (200, 100), (5, 1)])
def test_independent_samples_stay_within_the_band_nineteen_times_in_twenty(pairs, dim):
    rng = np.random.default_rng(dim + pairs)
    outside = 0
    for _ in range(1000):
        found = successive_correlation(rng.normal(size=(pairs, dim)), rng.normal(size=(pairs, dim)))
        outside += abs(found.largest) > found.band
    # Binomial(1000, 0.05): mean 50, sd 6.9; four of them. Twice 1/sqrt(pairs) was passed in 9, 63 and 99 % of the cases.
    assert 22 <= outside <= 78


def test_a_constant_coordinate_has_no_correlation():
    found = successive_correlation(np.zeros((5, 2)), np.arange(10.0).reshape(5, 2))
    assert np.isnan(found.correlation).all()
    assert np.isnan(found.largest)


def test_wasserstein_of_commuting_gaussians_is_by_hand():
    # Diagonal covariances: W2^2 = ||m1 - m2||^2 + sum (s1 - s2)^2.
    found = gaussian_wasserstein([0, 0], np.diag([4.0, 9.0]), [3, 4], np.diag([1.0, 1.0]))
    assert found == pytest.approx(np.sqrt(25 + 1 + 4))
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    first, second = turn @ np.diag([4.0, 9.0]) @ turn.T, turn @ np.diag([1.0, 1.0]) @ turn.T
    assert gaussian_wasserstein([0, 0], first, [3, 4], second) == pytest.approx(np.sqrt(30))


def test_joint_distance_sees_a_dependence_marginals_hide():
    axis = np.linspace(-6, 6, 161)
    density = np.exp(-0.5 * (axis[:, None] ** 2 + axis[None, :] ** 2))
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(2000, 2))
    fair = joint_total_variation(draws, axis, axis, density)
    # Over repetitions the value spreads by about 0.006 round its floor.
    assert fair.value == pytest.approx(fair.floor, abs=0.025)
    tied = joint_total_variation(np.stack([draws[:, 0], draws[:, 0]], axis=1), axis, axis, density)
    assert tied.value > 0.8
    far = joint_total_variation(draws + 100, axis, axis, density)
    outside = 1 - (2 * ndtr(3) - 1) ** 2
    assert far.value == pytest.approx(1 - outside, abs=1e-3)


def test_diagnostics_tell_mixed_chains_from_stuck_ones():
    draws = np.random.default_rng(0).normal(size=(4, 500, 2))
    good = chain_diagnostics(draws)
    assert good.rhat.shape == good.ess.shape == good.mcse.shape == (2,)
    assert np.all(good.rhat < 1.02)
    assert np.all(good.ess > 1000)
    np.testing.assert_allclose(good.mcse, 1 / np.sqrt(2000), rtol=0.2)
    stuck = chain_diagnostics(draws + np.arange(4)[:, None, None])
    assert np.all(stuck.rhat > 1.2)


def test_nested_rhat_sees_what_chains_of_one_start_do_together_and_rank_rhat_what_each_does_alone():
    rng = np.random.default_rng(3)
    law = rng.normal(size=(64, 40, 2))
    # B of four means of 640 independent draws is 1/640, so R-hat is about 1 + 1/1280; ranks halve the draws again.
    assert np.all(nested_rhat(law) < 1.006)
    # Unmixed chains with the right law together: W = 1 as before, B = 0 but for what moves; each chain is stuck.
    stuck = 0.9**0.5 * rng.normal(size=(64, 1, 2)) + 0.1**0.5 * law
    assert np.all(nested_rhat(stuck) < 1.006)
    assert np.all(chain_diagnostics(stuck).rhat > 1.5)
    # All drift together by 2 sd in all: segments' means are 0.513 apart, B = 0.4383. W = 1 in a chain of five draws, 1/5
    # between the chains' means, 0.02 by the drift within a segment: sqrt(1 + B/W) = 1.166. A segment's mean has sd 0.04,
    # so B is known to 0.06 and R-hat to 0.02; ranks change it by about 0.01.
    drifting = law + np.linspace(0.0, 2.0, 40)[None, :, None]
    np.testing.assert_allclose(nested_rhat(drifting), 1.166, atol=0.05)


@pytest.mark.parametrize(
    "call",
    [
        lambda: successive_correlation(np.zeros((2, 1)), np.zeros((2, 1))),
        lambda: successive_correlation(np.zeros((4, 1)), np.zeros((5, 1))),
        lambda: gaussian_wasserstein([0.0], [[np.nan]], [0.0], [[1.0]]),
        lambda: gaussian_wasserstein([0.0], [[-1.0]], [0.0], [[1.0]]),
        lambda: gaussian_wasserstein([0.0, 1.0], [[1.0]], [0.0], [[1.0]]),
        lambda: joint_total_variation(np.zeros((5, 2)), np.arange(3), np.arange(3), -np.ones((3, 3))),
        lambda: joint_total_variation(np.zeros((5, 3)), np.arange(3), np.arange(3), np.ones((3, 3))),
        lambda: chain_diagnostics(np.zeros((4, 2, 1))),
        lambda: chain_diagnostics(np.full((4, 20, 1), np.nan)),
        lambda: nested_rhat(np.zeros((4, 15, 1))),
    ],
)
def test_bad_input_is_refused_with_words(call):
    with pytest.raises(ValueError, match="must"):
        call()
