import numpy as np
import pytest
from scipy.special import ndtr

from sampler.theory.anytime_bound import anytime_bound
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.moving_mode_bound import RARE, Leg, moving_mode_bound


@pytest.mark.parametrize("S", [0.0, 2.0])
def test_one_epoch_is_the_local_bound(S):
    leg = Leg(0.0025, 400, 2.0 * np.sqrt(2), noise_bound=S, smoothness=1.0, strong_convexity=1.0)
    alone = exit_bounds(2, 0.0025, 400, 2.0 * np.sqrt(2), 0.3, S, 1.0, 1.0).local
    found = moving_mode_bound(2, [leg], 0.3).total[0]
    assert 0.999 * alone < found < 1.03 * alone  # a coarser grid of theta


def test_an_unstable_epoch_is_not_bounded():
    legs = [Leg(0.01, 50, 8.0, 0.0, 0.0, 1.0, 1.0), Leg(3.0, 50, 8.0, 0.0, 0.0, 1.0, 1.0)]
    found = moving_mode_bound(2, legs)
    assert found.total[0] < 1e-6 and found.total[1] == 1.0


def test_a_shift_or_a_smoothness_nobody_gave_bounds_nothing():
    known = Leg(0.01, 50, 8.0, 0.0, 0.0, 1.0, 1.0)
    still = Leg(0.01, 50, 8.0, smoothness=1.0, strong_convexity=1.0)
    found = moving_mode_bound(2, [still, still, Leg(0.01, 50, 16.0, 0.0, 0.0, 1.0, 1.0)])
    # The first epoch needs no shift; the second does; the third bounds those still within 8 of the mode afresh.
    assert found.by_epoch[0] < 1e-6 and found.by_epoch[1] == 1.0 and found.by_epoch[2] < 1.0
    assert found.total.tolist()[1:] == [1.0, 1.0]
    assert len(found.conditions) == 1 and "Epoch 2: shift is not given" in found.conditions[0]
    rough = moving_mode_bound(2, [known, Leg(0.01, 50, 8.0, 0.0, 0.0, strong_convexity=1.0)])
    assert rough.total[1] == 1.0 and "Epoch 2: smoothness L_F is not given" in rough.conditions[0]
    assert moving_mode_bound(2, [known, known]).conditions == ()
    # Neither curvature: (1, 50) makes every chain leave (test_without_smoothness_nothing_is_claimed), and 0 was not given.
    for bound in (moving_mode_bound, anytime_bound):
        nothing = bound(2, [Leg(0.05, 50, 5.0)])
        assert nothing.total[0] == 1.0 and "Epoch 1: smoothness L_F is not given" in nothing.conditions[0]
        flat = bound(2, [Leg(0.05, 50, 5.0, smoothness=0.0)])
        assert flat.total[0] < 0.6 and flat.conditions == ()


FORGETS = dict(shift=0.0, smoothness=1e12, strong_convexity=1e12)  # with eta = 1e-12 one step forgets where it began
STANDS = dict(shift=0.0, smoothness=1.0, strong_convexity=1.0)  # and here it moves nobody


def test_a_checkpoint_is_left_behind_by_all_moves_since():
    """Points without noise: X^2 stands 1 away, epoch 3 pulls in, the mode goes on by 1/2 twice: going back means 2 away."""
    stands, forgets = Leg(1e-12, 1, 3.0, **STANDS), Leg(1e-12, 1, 3.0, **FORGETS | dict(shift=0.5))
    for radius, leaves in ((1.9, 1.0), (2.1, 0.0)):
        legs = [stands, stands, forgets, Leg(1e-12, 1, radius, **STANDS | dict(shift=0.5))]
        assert moving_mode_bound(2, legs, 1.0).by_epoch[3] < 1e-9  # who does not go back stands 1/2 away
        assert moving_mode_bound(2, legs, 1.0, resets=True).by_epoch[3] == pytest.approx(leaves, abs=1e-9)


@pytest.mark.parametrize("bound", [moving_mode_bound, anytime_bound])
def test_a_chain_that_begins_an_epoch_outside_has_left(bound):
    """A point 0.9 or 1.1 away, a ball of radius 1, and steps that halve the distance: the exit is at step 0."""
    for distance, leaves in ((0.9, 0.0), (1.1, 1.0)):
        legs = [Leg(1e-12, 1, 3.0, **STANDS), Leg(1e-12, 3, 1.0, 0.0, smoothness=5e11, strong_convexity=5e11)]
        assert bound(1, legs, distance).by_epoch[1] == pytest.approx(leaves, abs=1e-9)


@pytest.mark.parametrize("dim", [1, 3])
def test_going_back_for_any_reason_costs_the_sum_of_both_cases(dim):
    """Epochs 2 and 3 forget alike, so that X^2 and X^3 have one law: exp W + exp W, twice the bound without resets."""
    eta = 1e-12
    forgets = Leg(eta, 1, 1.0, **FORGETS)
    legs = [forgets, forgets, forgets, Leg(eta, 1, 6.0 * np.sqrt(2 * dim * eta), **STANDS)]
    without, with_resets = (moving_mode_bound(dim, legs, resets=resets).by_epoch[3] for resets in (False, True))
    assert 1e-12 < without < 0.1
    assert with_resets == pytest.approx(2 * without, rel=1e-6)


def test_odds_of_going_back_are_counted_once_in_the_epoch_that_begins_so():
    """X^2 and X^3 are N(0, 2 eta): farther than A = 7 sqrt(4 eta) apart with probability 2 Phi(-7), and no ball is left."""
    eta = 1e-12
    acceptance = 7.0 * np.sqrt(4 * eta)
    forgets, stands = Leg(eta, 1, 1.0, **FORGETS), Leg(eta, 1, 1.0, **STANDS, acceptance=acceptance)
    found = moving_mode_bound(1, [stands, forgets, forgets, stands, stands], resets=True).by_epoch
    # Hoelder's inequality and the grids cost much of Chernoff's exp(-24.5): what is counted is not nothing.
    assert 2 * ndtr(-7.0) <= found[3] <= RARE
    assert found[4] < 1e-15  # epoch 5 begins at its own checkpoint, X^4
    # Where those odds are above RARE the chain is counted at both places, and nothing is added.
    often = Leg(eta, 1, 1.0, **STANDS, acceptance=0.5 * acceptance)
    assert moving_mode_bound(1, [stands, forgets, forgets, often], resets=True).by_epoch[3] < 1e-15
