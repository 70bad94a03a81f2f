"""Bounds of a whole stream, by epoch and as a mixture, against the sum of blocks and simulated exits."""

import sys

import numpy as np
import pytest
from scipy.special import ndtr

from sampler.theory.anytime_bound import _columns, _mixture, anytime_bound
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_simulation import exit_limits
from sampler.theory.moving_mode_bound import RARE, EpochStart, Leg, _reset_probability, moving_mode_bound


@pytest.mark.parametrize("S", [0.0, 2.0])
def test_one_epoch_is_the_local_bound(S):
    leg = Leg(0.0025, 400, 2.0 * np.sqrt(2), noise_bound=S, smoothness=1.0, strong_convexity=1.0)
    alone = exit_bounds(2, 0.0025, 400, 2.0 * np.sqrt(2), 0.3, S, 1.0, 1.0).local
    total = moving_mode_bound(2, [leg], 0.3).total[0]
    assert 0.999 * alone < total < 1.03 * alone  # a coarser grid of theta


def test_an_unstable_epoch_is_not_bounded():
    legs = [Leg(0.01, 50, 8.0, 0.0, 0.0, 1.0, 1.0), Leg(3.0, 50, 8.0, 0.0, 0.0, 1.0, 1.0)]
    bound = moving_mode_bound(2, legs)
    assert bound.total[0] < 1e-6 and bound.total[1] == 1.0


def test_a_missing_shift_or_smoothness_bounds_nothing():
    complete = Leg(0.01, 50, 8.0, 0.0, 0.0, 1.0, 1.0)
    still = Leg(0.01, 50, 8.0, smoothness=1.0, strong_convexity=1.0)
    result = moving_mode_bound(2, [still, still, Leg(0.01, 50, 16.0, 0.0, 0.0, 1.0, 1.0)])
    # The first epoch needs no shift, the second does; the third starts from the chains within 8 of the mode.
    assert result.by_epoch[0] < 1e-6 and result.by_epoch[1] == 1.0 and result.by_epoch[2] < 1.0
    assert result.total.tolist()[1:] == [1.0, 1.0]
    assert len(result.conditions) == 1 and "Epoch 2: shift is not given" in result.conditions[0]
    rough = moving_mode_bound(2, [complete, Leg(0.01, 50, 8.0, 0.0, 0.0, strong_convexity=1.0)])
    assert rough.total[1] == 1.0 and "Epoch 2: smoothness L_F is not given" in rough.conditions[0]
    assert moving_mode_bound(2, [complete, complete]).conditions == ()
    # No curvatures: with (1, 50) every chain exits (test_without_smoothness_nothing_is_claimed), and 0 was not passed.
    for bound in (moving_mode_bound, anytime_bound):
        nothing = bound(2, [Leg(0.05, 50, 5.0)])
        assert nothing.total[0] == 1.0 and "Epoch 1: smoothness L_F is not given" in nothing.conditions[0]
        flat = bound(2, [Leg(0.05, 50, 5.0, smoothness=0.0)])
        assert flat.total[0] < 0.6 and flat.conditions == ()


FORGETS = dict(shift=0.0, smoothness=1e12, strong_convexity=1e12)  # with eta = 1e-12 one step forgets the start
STANDS = dict(shift=0.0, smoothness=1.0, strong_convexity=1.0)  # here a step does not move


def test_a_checkpoint_is_left_behind_by_all_moves_since():
    """Points without noise: X^2 is 1 away, epoch 3 contracts, the mode moves by 1/2 twice: a reset is 2 away."""
    stands, forgets = Leg(1e-12, 1, 3.0, **STANDS), Leg(1e-12, 1, 3.0, **FORGETS | dict(shift=0.5))
    for radius, leaves in ((1.9, 1.0), (2.1, 0.0)):
        legs = [stands, stands, forgets, Leg(1e-12, 1, radius, **STANDS | dict(shift=0.5))]
        assert moving_mode_bound(2, legs, 1.0).by_epoch[3] < 1e-9  # without a reset the chain is 1/2 away
        assert moving_mode_bound(2, legs, 1.0, resets=True).by_epoch[3] == pytest.approx(leaves, abs=1e-9)


@pytest.mark.parametrize("bound", [moving_mode_bound, anytime_bound])
def test_a_chain_that_begins_an_epoch_outside_has_left(bound):
    """A point 0.9 or 1.1 away, a ball of radius 1, and steps that halve the distance: an exit is at step 0."""
    for distance, leaves in ((0.9, 0.0), (1.1, 1.0)):
        legs = [Leg(1e-12, 1, 3.0, **STANDS), Leg(1e-12, 3, 1.0, 0.0, smoothness=5e11, strong_convexity=5e11)]
        assert bound(1, legs, distance).by_epoch[1] == pytest.approx(leaves, abs=1e-9)


@pytest.mark.parametrize("dim", [1, 3])
def test_going_back_for_any_reason_costs_the_sum_of_both_cases(dim):
    """Epochs 2 and 3 forget equally, so X^2 and X^3 have one law: exp W + exp W, twice the bound without resets."""
    eta = 1e-12
    forgets = Leg(eta, 1, 1.0, **FORGETS)
    legs = [forgets, forgets, forgets, Leg(eta, 1, 6.0 * np.sqrt(2 * dim * eta), **STANDS)]
    without, with_resets = (moving_mode_bound(dim, legs, resets=resets).by_epoch[3] for resets in (False, True))
    assert 1e-12 < without < 0.1
    assert with_resets == pytest.approx(2 * without, rel=1e-6)


def test_odds_of_going_back_are_counted_once_in_the_epoch_that_begins_so():
    """X^2 and X^3 are N(0, 2 eta): farther than A = 7 sqrt(4 eta) apart with probability 2 Phi(-7); no chain exits."""
    eta = 1e-12
    acceptance = 7.0 * np.sqrt(4 * eta)
    forgets, stands = Leg(eta, 1, 1.0, **FORGETS), Leg(eta, 1, 1.0, **STANDS, acceptance=acceptance)
    by_epoch = moving_mode_bound(1, [stands, forgets, forgets, stands, stands], resets=True).by_epoch
    # Hoelder's inequality and the grids lose much of Chernoff's exp(-24.5), so the count is positive.
    assert 2 * ndtr(-7.0) <= by_epoch[3] <= RARE
    assert by_epoch[4] < 1e-15  # epoch 5 starts at its own checkpoint, X^4
    # With odds above RARE both positions are bounded, and nothing is added.
    often = Leg(eta, 1, 1.0, **STANDS, acceptance=0.5 * acceptance)
    assert moving_mode_bound(1, [stands, forgets, forgets, often], resets=True).by_epoch[3] < 1e-15


@pytest.mark.parametrize(("dim", "time", "ratio", "simulated", "mixed"), [
    (2, 1, 1.5, 0.257, 0.526), (2, 1, 2.0, 0.041, 0.124), (2, 10, 2.5, 0.124, 0.226), (20, 10, 1.5, 0.095, 0.199)])
def test_one_epoch_against_convex_and_curved_bound(dim, time, ratio, simulated, mixed):
    """F quadratic with m = 1, n = 400, from 0; ``time`` is eta m n, ``ratio`` r / sqrt(d)."""
    leg = Leg(time / 400, 400, ratio * np.sqrt(dim), smoothness=1.0, strong_convexity=1.0)
    curved = exit_bounds(dim, leg.step_size, 400, leg.radius, smoothness=1.0, strong_convexity=1.0)
    total = anytime_bound(dim, [leg]).total[0]
    # A finer grid may give less, but not less than the simulation.
    assert simulated < total <= 1.03 * mixed
    assert total <= curved.local <= curved.sharp


def stream(case):
    """Return epochs with a moving mode, gradient noise in every other case, and acceptance distances of resets."""
    rng = np.random.default_rng([13, case])
    dim, epochs, start = int(rng.integers(1, 4)), int(rng.integers(3, 10)), float(rng.uniform(0, 0.5))
    noise, accept = float(rng.uniform(0.2, 1)) if case % 2 else 0.0, rng.choice([1.0, 2.5, 4.0])
    legs = []
    for t in range(1, epochs + 1):
        m = (t + 1.0) * np.exp(rng.uniform(-0.2, 0.2))
        eta, steps, wide = rng.uniform(0.02, 0.4) / m, int(rng.integers(3, 60)), np.sqrt(dim / m)
        reach = wide * rng.uniform(2.5, 4.0) + 0.5 * start
        legs.append(Leg(eta, steps, reach, rng.uniform(0, 0.1) * reach, noise, m, m, accept * wide))
    return dim, legs, start


def simulate(dim, legs, start, chains, resets, seed=0):
    """Return the number of exits by each epoch and of resets; the mode moves away from the start along the first axis."""
    rng = np.random.default_rng(seed)
    x, mode, left = np.zeros((chains, dim)), np.zeros(dim), np.zeros(chains, bool)
    x[:, 0], checkpoint, shares, resets_done = start, None, [], 0
    for t, leg in enumerate(legs, start=1):
        if t > 1:
            mode = mode - np.eye(dim)[0] * leg.shift
            if (t - 1) & (t - 2) == 0:
                checkpoint = x.copy()
            elif resets:
                far = np.linalg.norm(x - checkpoint, axis=1) > leg.acceptance
                x, resets_done = np.where(far[:, None], checkpoint, x), resets_done + far.sum()
            left |= np.linalg.norm(x - mode, axis=1) >= leg.radius
        for _ in range(leg.steps):
            D = x - mode
            zeta = leg.noise_bound * rng.choice([-1, 1], size=(chains, 1)) * D
            zeta = zeta / np.maximum(np.linalg.norm(D, axis=1, keepdims=True), 1e-12)
            x = x - leg.step_size * (leg.strong_convexity * D + zeta) + np.sqrt(2 * leg.step_size) * rng.normal(size=x.shape)
            left |= np.linalg.norm(x - mode, axis=1) >= leg.radius
        shares.append(left.sum())
    return np.array(shares), resets_done


@pytest.mark.parametrize(("case", "resets"), [(0, True), (1, True), (2, True), (3, False)])
def test_streams_with_and_without_resets_against_simulation(case, resets):
    dim, legs, start = stream(case)
    chains = 3000
    exits, resets_done = simulate(dim, legs, start, chains, resets, case)
    mixed, blocks = anytime_bound(dim, legs, start, resets), moving_mode_bound(dim, legs, start, resets=resets)
    assert np.all(mixed.total <= blocks.total + 1e-12)
    for s in range(len(legs)):
        assert mixed.total[s] >= exit_limits(exits[s], chains, 0.998)[0]
    if resets and legs[0].acceptance / np.sqrt(dim / legs[0].strong_convexity) < 1.5 and len(legs) > 3:
        assert resets_done > 0  # these streams have resets


def test_resets_cost_nothing_where_they_are_rare_and_something_where_they_are_not():
    def legs(accept):
        return [Leg(0.1 / (t + 2), 300, 7.0 / np.sqrt(t + 2), 0.3 / t, 0.0, t + 2.0, t + 2.0,
                    accept and accept / np.sqrt(t + 2)) for t in range(1, 17)]

    without = moving_mode_bound(2, legs(None), 0.5).total[-1]
    rare, unknown = (moving_mode_bound(2, legs(accept), 0.5, resets=True).total[-1] for accept in (30.0, None))
    assert without <= rare < 1.01 * without
    assert unknown > 10 * without


@pytest.mark.parametrize(("last", "checkpoint"), [(1.0, 1.0), (2.0, 1.0), (0.5, 1.0), (0.3, 1.0)])
def test_odds_are_sharp_for_points(last, checkpoint):
    """Two points on opposite sides of the mode, last + checkpoint apart."""
    grid = np.geomspace(1e-4, 1e4, 3000)
    apart = last + checkpoint
    assert _reset_probability(grid * checkpoint**2, grid * last**2, grid, apart * (1 - 1e-9)) == 1.0
    if checkpoint / last in (0.5, 1.0, 2.0):  # a grid point h gives (1 + h) a^2 + (1 + 1/h) b^2 = (a + b)^2
        assert _reset_probability(grid * checkpoint**2, grid * last**2, grid, 1.1 * apart) < 1e-9


def test_a_column_is_the_recursion_in_closed_form():
    """The logarithm of exp(t_j |D|^2 + C_j) at the radius, relative to the start."""
    epoch = exit_bounds(2, 0.02, 40, 2.0, 0.5, 0.0, 1.0, 1.0)
    grid = np.geomspace(1e-3, 12.0, 300)
    steps, ends = np.array([1, 10, 20, 40]), np.array([40])
    logs = _columns(EpochStart(epoch, True, grid, grid * 0.25), steps, ends, -50.0)
    k = 0.98**2

    def back(theta, j):  # closed form, S = 0
        room = 1 - 4 * 0.02 * theta * (1 - k**j) / (1 - k)
        return k**j * theta / room, -np.log(room)

    light = grid[grid < 0.3]  # positive room
    start, paid = back(light, 40)
    gaps = np.abs(light * 4 - start * 0.25 - paid - logs[3][:, None])
    column, at = np.unravel_index(gaps.argmin(), gaps.shape)
    theta, start, paid = light[at], start[at], paid[at]
    for row, j in enumerate(steps):
        t, C = back(theta, 40 - j)
        assert logs[row, column] == pytest.approx(t * 4 + C - start * 0.25 - paid, abs=1e-9)


@pytest.mark.parametrize("first", [True, False])
def test_a_coarse_grid_of_steps_is_valid_between_its_steps(first, monkeypatch):
    """The same columns at few steps and at all 100: the coarse grid must not give a smaller bound."""
    epoch = exit_bounds(2, 0.1, 100, 3.6, 0.0, 0.0, 1.0, 1.0)
    grid = np.geomspace(1e-3, 2.4, 200)
    start = EpochStart(epoch, first, grid, np.zeros(200) if first else -np.log(np.maximum(1 - grid / 2.5, 1e-9)))
    module = sys.modules["sampler.theory.anytime_bound"]
    monkeypatch.setattr(module, "ENDS", 6)
    every = _mixture(start, 0.4)
    monkeypatch.setattr(module, "STEPS", 4)
    assert every <= _mixture(start, 0.4) * (1 + 1e-9) < 1.0
