import math

import numpy as np
import pytest

from sampler.kernels.supermartingale import batch_noise_path, bounded_noise_path
from sampler.theory.block_bounds import block_logs, memory
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_process import exit_process
from sampler.theory.exit_simulation import ExitSimulation
from sampler.theory.exit_targets import quadratic_target

# Free walk from 0, 2 eta n = 1: (d, n, r, printed, sharp); both columns are deterministic.
FREE = [
    (1, 1000, 1.6, 1.0, 0.733),
    (1, 1000, 3.2, 0.039, 0.0315),
    (2, 1000, 1.6 * math.sqrt(2), 1.0, 0.538),
    (2, 1000, 2.4 * math.sqrt(2), 0.055, 0.0493),
    (20, 1000, 1.6 * math.sqrt(20), 0.00034, 0.0020),
    (2, 100_000, 2.0, 2.7e-12, 0.736),
    (2, 100_000, 3.0, 1.5e-17, 0.136),
]
# F quadratic with m = 1, n = 400, from 0: (d, eta m n, r / sqrt(d), sharp, local).
CURVED = [
    (2, 1, 1.5, 0.993, 0.527),
    (2, 1, 2.0, 0.736, 0.124),
    (2, 1, 2.5, 0.373, 0.0144),
    (2, 10, 2.5, 1.0, 0.423),
    (20, 1, 1.5, 0.930, 0.0016),
    (20, 10, 1.5, 1.0, 0.335),
]


def half_digit(value, digits):
    """Half a unit in the last of ``digits`` significant digits of a printed value."""
    return 0.5 * 10.0 ** (math.floor(math.log10(value)) + 1 - digits)


@pytest.mark.parametrize(("d", "n", "r", "printed", "sharp"), FREE)
def test_the_free_walk_table(d, n, r, printed, sharp):
    bounds = exit_bounds(d, 0.5 / n, n, r, smoothness=0.0)
    assert bounds.printed == pytest.approx(printed, abs=half_digit(printed, 2))
    assert bounds.sharp == pytest.approx(sharp, abs=half_digit(sharp, 2 if sharp == 0.0020 else 3))
    assert bounds.corrected == 1.0
    assert bounds.local == pytest.approx(bounds.sharp, rel=1e-12)


@pytest.mark.parametrize(("d", "time", "ratio", "sharp", "local"), CURVED)
def test_the_curved_table(d, time, ratio, sharp, local):
    bounds = exit_bounds(d, time / 400, 400, ratio * math.sqrt(d), smoothness=1.0, strong_convexity=1.0)
    assert bounds.sharp == pytest.approx(sharp, abs=half_digit(sharp, 3))
    assert bounds.local <= 1.02 * local
    assert bounds.conditions == []


def test_the_preset_in_which_the_printed_bound_fails():
    bounds = exit_bounds(2, 0.5 / 10_000, 10_000, 2.5, smoothness=0.0)
    assert bounds.printed == pytest.approx(2.3e-5, abs=0.05e-5)


def test_sharp_is_the_minimum_of_its_formula():
    d, eta, n, r, rho = 3, 1e-3, 200, 3.0, 0.7
    theta = np.linspace(1e-6, 1 - 1e-6, 200_001) / (4 * eta * n)
    log = -0.5 * d * np.log(1 - 4 * eta * n * theta) + rho**2 / (1 / theta - 4 * eta * n) - theta * r**2
    assert exit_bounds(d, eta, n, r, rho, smoothness=0.0).sharp == pytest.approx(np.exp(log.min()), rel=1e-6)


def walk_back(theta, steps, d, eta, k, S):
    """The recursion of the docstring, one step at a time; None when theta leaves its domain."""
    t, C, path = theta, 0.0, [(theta, 0.0)]
    for _ in range(steps):
        room = 1.0 - 4.0 * eta * t
        if room <= 0.0:
            return None
        a = t / room
        C += a * eta**2 * S**2 - 0.5 * d * math.log(room)
        t = a * k * (1.0 + 2.0 * a * eta**2 * S**2)
        path.append((t, C))
    return np.array(path)


@pytest.mark.parametrize("S", [0.0, 3.0, 40.0])
@pytest.mark.parametrize("m", [0.0, 1.0, 10.0])
def test_a_block_against_a_plain_walk_back(m, S):
    d, eta, r, rho, end, length = 2, 0.004, 1.2, 0.3, 60, 25
    k = (1.0 - eta * m) ** 2
    low, high = 0.0, 1.0 / (4.0 * eta)
    for _ in range(50):  # largest theta that survives the walk
        middle = (low + high) / 2
        low, high = (low, middle) if walk_back(middle, end, d, eta, k, S) is None else (middle, high)
    best = 0.0
    for logit in np.linspace(-12.0, 12.0, 2001):
        path = walk_back(low / (1.0 + math.exp(-logit)), end, d, eta, k, S)
        inside = path[:length, 0] * r**2 + path[:length, 1]
        # The minimum over the block sits at one of its ends.
        assert inside.min() == pytest.approx(min(inside[0], inside[-1]), rel=1e-12)
        best = min(best, path[end, 0] * rho**2 + path[end, 1] - inside.min())
    found = block_logs(np.array([end]), np.array([length]), d, eta, r, rho, k, S)[0]
    assert min(found, 0.0) == pytest.approx(best, abs=1e-3 * max(1.0, abs(best)))


def test_a_block_long_after_the_start_stands_for_all_later_ones():
    k = 0.98**2
    often = memory(k)
    for S in (0.0, 1.0):
        ends, lengths = np.array([often, 3 * often]), np.array([20, 20])
        clamped, later = block_logs(ends, lengths, 2, 0.01, 2.5, 0.5, k, S)
        assert clamped == pytest.approx(later, abs=1e-3)


def test_enough_blocks_for_a_chain_that_forgets_fast():
    # 500 times the forgetting time: with 64 blocks the bound is 1; the simulated exit probability is 0.0011.
    bounds = exit_bounds(2, 0.05, 10_000, 4.0 * math.sqrt(2), smoothness=1.0, strong_convexity=1.0)
    assert bounds.local < 0.006


def test_batch_noise_without_noise_is_the_plain_recursion():
    theta, at = np.array([0.5, 3.0]), np.array([0, 3, 17])
    plain, batch = np.empty((2, 3, 2)), np.empty((2, 3, 2))
    bounded_noise_path(theta, at, 4, 1e-3, 0.9, 0.0, *plain)
    batch_noise_path(theta, at, 4, 1e-3, 0.9, 1.05, 0.0, 0.0, 0.0, 1.0, *batch)
    np.testing.assert_allclose(batch, plain, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("S", [0.0, 5.0])
def test_no_curvature_makes_local_the_sharp_bound(S):
    bounds = exit_bounds(5, 1e-3, 300, 3.2, 0.4, S, smoothness=10.0)
    assert 0.0 < bounds.local < 1.0
    assert bounds.local == bounds.sharp
    # Three blocks are no better than one: the sharp bound is one block's.
    ends, lengths = np.array([100, 200, 300]), np.array([100, 100, 100])
    assert np.exp(block_logs(ends, lengths, 5, 1e-3, 3.2, 0.4, 1.0, S)).sum() > 0.999 * bounds.sharp


@pytest.mark.parametrize("S", [0.0, 5.0])
@pytest.mark.parametrize("name", ["printed", "corrected", "sharp", "local"])
def test_curves_rise_from_zero_to_the_bound(name, S):
    bounds = exit_bounds(2, 5e-4, 1000, 3.0, 0.2, S, 4.0, 2.0)
    curve = bounds.curve(name, np.arange(0, 1001, 50))
    assert curve[0] == 0.0
    assert np.all(np.diff(curve) >= -1e-12)
    # A whole curve is refined less than a single number: 1 % is allowed for.
    assert curve[-1] == pytest.approx(getattr(bounds, name), rel=0.01)
    shuffled = bounds.curve(name, [1000, 0, 500])
    np.testing.assert_allclose(shuffled, curve[[-1, 0, 10]], rtol=0.01)


def test_curvature_and_quiet_only_help():
    loose = exit_bounds(2, 1e-3, 500, 2.5, 0.2, 4.0, 5.0, 0.0)
    curved = exit_bounds(2, 1e-3, 500, 2.5, 0.2, 4.0, 5.0, 2.0)
    quiet = exit_bounds(2, 1e-3, 500, 2.5, 0.2, 0.0, 5.0, 2.0)
    assert quiet.local < curved.local < loose.local


def test_a_vanishing_noise_bound_changes_nothing():
    quiet = exit_bounds(2, 1e-3, 500, 2.5, 0.2, 0.0, 5.0, 2.0)
    nearly = exit_bounds(2, 1e-3, 500, 2.5, 0.2, 1e-6, 5.0, 2.0)
    assert nearly.sharp == pytest.approx(quiet.sharp, rel=1e-4)
    assert nearly.local == pytest.approx(quiet.local, rel=2e-3)


def test_a_million_steps():
    bounds = exit_bounds(2, 0.5e-6, 1_000_000, 3.394, 0.1, 1.0, 3.0, 1.0)
    fewer = exit_bounds(2, 0.5e-4, 10_000, 3.394, 0.1, 1.0, 3.0, 1.0)
    # Same time eta n: the limit of small steps, up to the coarser grid.
    assert bounds.local == pytest.approx(fewer.local, rel=0.05)


def test_unstable_steps_are_reported_not_bounded():
    bounds = exit_bounds(2, 0.7, 100, 30.0, smoothness=3.0, strong_convexity=1.0)
    assert (bounds.sharp, bounds.local) == (1.0, 1.0)
    assert "2/L_F" in bounds.conditions[0]
    assert "lower eta" in bounds.words


def test_steps_that_overshoot_use_the_other_contraction():
    bounds = exit_bounds(2, 0.6, 100, 30.0, smoothness=3.0, strong_convexity=1.0)
    assert "2/(L_F + m)" in bounds.conditions[0]
    assert bounds.contraction == pytest.approx((1 - 0.6 * 3.0) ** 2)
    assert bounds.local < bounds.sharp
    assert exit_bounds(2, 0.5, 100, 30.0, smoothness=3.0, strong_convexity=1.0).conditions == []


def test_a_step_that_lands_on_the_mode():
    bounds = exit_bounds(1, 1.0, 50, 8.0, smoothness=1.0, strong_convexity=1.0)
    # D' = sqrt(2) xi every time: Chernoff's bound, 50 sqrt(e r^2/2) exp(-r^2/4), and not far above it.
    chernoff = 50 * math.sqrt(math.e * 32.0) * math.exp(-16.0)
    assert bounds.local == pytest.approx(chernoff, rel=1e-3)


def test_words_when_every_bound_is_one():
    assert exit_bounds(2, 1e-3, 100, 2.0, smoothness=0.0).words == ""
    loud = exit_bounds(2, 1e-3, 500, 2.5, 0.0, 1e4, 5.0, 2.0)
    assert (loud.corrected, loud.sharp, loud.local) == (1.0, 1.0, 1.0)
    assert "noise S" in loud.words and "Lower S" in loud.words
    assert "Raise r" in exit_bounds(2, 1e-3, 10_000, 1.0, smoothness=0.0).words
    assert "corrected bounds are 1" in exit_bounds(2, 1e-3, 10_000, 1.0, smoothness=0.0).azuma_condition
    assert exit_bounds(2, 1e-3, 100, 2.0, smoothness=0.0).azuma_condition == ""


@pytest.mark.parametrize("least", [{}, {"strong_convexity": None}, {"strong_convexity": 0.0}, {"strong_convexity": 1.0}])
@pytest.mark.parametrize("unknown", [{}, {"smoothness": None}, {"smoothness": math.inf}])
def test_without_smoothness_nothing_is_claimed(unknown, least):
    # Curvatures (1, 50) and eta 50 = 2.5 > 2: every chain is thrown out. Nobody said 50, so nobody may be promised.
    run = ExitSimulation(quadratic_target([1.0, 50.0]), 0.05, 50, 5.0, chains=200)
    run.run()
    assert np.all(run.exit_steps > 0)
    bounds = exit_bounds(2, 0.05, 50, 5.0, **least, **unknown)
    assert (bounds.printed, bounds.corrected, bounds.sharp, bounds.local) == (1.0, 1.0, 1.0, 1.0)
    assert bounds.curve("local", [0, 25, 50]).tolist() == [0.0, 1.0, 1.0]
    assert "smoothness L_F is not given" in bounds.conditions[0]
    assert "smoothness" in bounds.words and "L_F is not known" in bounds.azuma_condition
    assert "its largest is not known" in bounds.assumes[-1]
    assert exit_process(2, 0.05, 50, 5.0, 0.0, [0, 50], **least, **unknown) is None
    assert "2/L_F = 0.04" in exit_bounds(2, 0.05, 50, 5.0, smoothness=50.0, strong_convexity=1.0).conditions[0]


def test_a_flat_potential_is_one_that_was_given():
    flat, unknown = exit_bounds(2, 5e-4, 1000, 3.0, smoothness=0.0), exit_bounds(2, 5e-4, 1000, 3.0)
    assert flat.local == flat.sharp < 1.0 and flat.conditions == []
    assert unknown.local == unknown.sharp == 1.0 and "0.0 for a flat F" in unknown.conditions[0]
    # Without a least curvature the local bound takes the least favourable one, 0: convexity, the sharp bound.
    convex = exit_bounds(2, 5e-4, 1000, 3.0, smoothness=4.0)
    assert convex.local == convex.sharp == flat.sharp and convex.conditions == []
    assert convex.assumes[-1] == "curvature in the ball lies in [0, 4]"
    with pytest.raises(ValueError, match="strong_convexity must lie in"):
        exit_bounds(2, 5e-4, 1000, 3.0, smoothness=0.0, strong_convexity=1.0)


def test_what_the_bounds_stand_on_is_said():
    assert exit_bounds(2, 1e-3, 100, 2.0, 0.5, 3.0, 7.0, 2.0).assumes == (
        "the chain starts within rho_0 = 0.5 of the mode", "no batch errs by more than S = 3 in the ball",
        "curvature in the ball lies in [2, 7]")
    flat = exit_bounds(2, 1e-3, 100, 2.0, smoothness=0.0)
    assert flat.assumes[1:] == ("every gradient is full, S = 0", "F = 0 in the ball")


def test_truncation_moves_the_azuma_bounds_only():
    best = exit_bounds(2, 0.5e-4, 10_000, 2.5, smoothness=0.0)
    worse = exit_bounds(2, 0.5e-4, 10_000, 2.5, smoothness=0.0, truncation=20.0)
    assert worse.printed > best.printed
    assert worse.sharp == best.sharp


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dim", 0),
        ("dim", 1.5),
        ("step_size", 0.0),
        ("step_size", -1.0),
        ("step_size", math.nan),
        ("steps", 0),
        ("radius", 0.5),
        ("radius", math.inf),
        ("radius", -2.0),
        ("start", -0.1),
        ("start", math.nan),
        ("noise_bound", -1.0),
        ("noise_bound", math.nan),
        ("smoothness", -1.0),
        ("strong_convexity", 5.0),
        ("strong_convexity", -1.0),
        ("truncation", 1.0),
        ("truncation", math.nan),
        ("radius", "wide"),
    ],
)
def test_bad_input_is_refused_by_name(name, value):
    good = dict(dim=2, step_size=1e-3, steps=100, radius=2.0, start=0.5, smoothness=2.0)
    shown = value if isinstance(value, str) else f"{value:g}"
    with pytest.raises(ValueError, match=f"{name} must .*") as caught:
        exit_bounds(**(good | {name: value}))
    assert shown in str(caught.value)


@pytest.mark.parametrize("at", [[-1], [101], [0.5], [], [[1]]])
def test_a_curve_outside_the_run_is_refused(at):
    with pytest.raises(ValueError, match="at_steps must"):
        exit_bounds(2, 1e-3, 100, 2.0, smoothness=0.0).curve("sharp", at)


def test_an_unknown_curve_is_refused():
    with pytest.raises(ValueError, match="printed, corrected, sharp, local"):
        exit_bounds(2, 1e-3, 100, 2.0, smoothness=0.0).curve("azuma", [1])


@pytest.mark.parametrize(("dim", "step", "steps", "radius", "curvature"),
                         [(2, 5e-5, 10_000, 2.5, 0.0), (2, 2.5e-3, 400, 2.8, 1.0), (20, 2.5e-3, 400, 6.0, 1.0)])
def test_the_process_itself_proves_what_one_block_does_and_no_mean_of_it_rises(dim, step, steps, radius, curvature):
    found = exit_process(dim, step, steps, radius, 0.0, np.arange(steps + 1), 0.0, curvature, curvature)
    whole = exit_bounds(dim, step, steps, radius, 0.0, 0.0, curvature, curvature).local
    assert found.bound == pytest.approx(whole, rel=0.03)
    assert (found.log_share(np.full(steps + 1, radius**2))[1:] >= -1e-9).all(), "who leaves has reached the level"
    assert found.log_share(np.zeros(steps + 1))[0] == pytest.approx(np.log(found.bound))
    theta, cost, k = found.exponent, found.cost, (1 - step * curvature) ** 2
    for square in (0.0, 0.3 * radius**2):  # E exp(theta |sqrt(k s) e + sqrt(2 eta) xi|^2) in closed form
        room = 1 - 4 * step * theta[1:]
        mean = theta[1:] * k * square / room - dim / 2 * np.log(room) + cost[1:]
        assert (mean <= theta[:-1] * square + cost[:-1] + 1e-9).all()
