"""Exit bounds against tables, plain recursions and limits; the bound by conditional variances."""

import math

import numpy as np
import pytest

from sampler.theory.anytime_bound import exit_process
from sampler.theory.block_bounds import block_logs
from sampler.theory.conditional_variance_bound import HOLDERS, conditional_variance_bound
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_simulation import ExitSimulation
from sampler.theory.exit_targets import quadratic_target


def half_digit(value, digits):
    """Return half a unit in the last of ``digits`` significant digits of a printed value."""
    return 0.5 * 10.0 ** (math.floor(math.log10(value)) + 1 - digits)


@pytest.mark.parametrize(("d", "n", "r", "printed", "sharp"), [
    (1, 1000, 1.6, 1.0, 0.733),
    (1, 1000, 3.2, 0.039, 0.0315),
    (2, 1000, 1.6 * math.sqrt(2), 1.0, 0.538),
    (2, 1000, 2.4 * math.sqrt(2), 0.055, 0.0493),
    (20, 1000, 1.6 * math.sqrt(20), 0.00034, 0.0020),
    (2, 100_000, 2.0, 2.7e-12, 0.736),
    (2, 100_000, 3.0, 1.5e-17, 0.136)])
def test_the_free_walk_table(d, n, r, printed, sharp):
    """From 0, 2 eta n = 1; both columns are deterministic."""
    bounds = exit_bounds(d, 0.5 / n, n, r, smoothness=0.0)
    assert bounds.printed == pytest.approx(printed, abs=half_digit(printed, 2))
    assert bounds.sharp == pytest.approx(sharp, abs=half_digit(sharp, 2 if sharp == 0.0020 else 3))
    assert bounds.corrected == 1.0
    assert bounds.local == pytest.approx(bounds.sharp, rel=1e-12)


@pytest.mark.parametrize(("d", "time", "ratio", "sharp", "local"), [
    (2, 1, 1.5, 0.993, 0.527),
    (2, 1, 2.0, 0.736, 0.124),
    (2, 1, 2.5, 0.373, 0.0144),
    (2, 10, 2.5, 1.0, 0.423),
    (20, 1, 1.5, 0.930, 0.0016),
    (20, 10, 1.5, 1.0, 0.335)])
def test_the_curved_table(d, time, ratio, sharp, local):
    """F quadratic with m = 1, n = 400, from 0; ``time`` is eta m n, ``ratio`` r / sqrt(d)."""
    bounds = exit_bounds(d, time / 400, 400, ratio * math.sqrt(d), smoothness=1.0, strong_convexity=1.0)
    assert bounds.sharp == pytest.approx(sharp, abs=half_digit(sharp, 3))
    assert bounds.local == pytest.approx(local, rel=0.02)
    assert bounds.conditions == []


def test_sharp_is_the_minimum_of_its_formula():
    d, eta, n, r, rho = 3, 1e-3, 200, 3.0, 0.7
    theta = np.linspace(1e-6, 1 - 1e-6, 200_001) / (4 * eta * n)
    log = -0.5 * d * np.log(1 - 4 * eta * n * theta) + rho**2 / (1 / theta - 4 * eta * n) - theta * r**2
    assert exit_bounds(d, eta, n, r, rho, smoothness=0.0).sharp == pytest.approx(np.exp(log.min()), rel=1e-6)


def walk_back(theta, steps, d, eta, k, S):
    """Return the path of the recursion, one step at a time; None if theta leaves its domain."""
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


@pytest.mark.parametrize(("m", "S"), [(0.0, 0.0), (0.0, 40.0), (1.0, 3.0), (10.0, 0.0), (10.0, 40.0)])
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
        # The minimum over the block is at one of its ends.
        assert inside.min() == pytest.approx(min(inside[0], inside[-1]), rel=1e-12)
        best = min(best, path[end, 0] * rho**2 + path[end, 1] - inside.min())
    log_bound = block_logs(np.array([end]), np.array([length]), d, eta, r, rho, k, S)[0]
    assert min(log_bound, 0.0) == pytest.approx(best, abs=1e-3 * max(1.0, abs(best)))


@pytest.mark.parametrize("S", [0.0, 5.0])
@pytest.mark.parametrize("name", ["printed", "corrected", "sharp", "local", "rotation"])
def test_curves_rise_from_zero_to_the_bound(name, S):
    bounds = exit_bounds(2, 5e-4, 1000, 3.0, 0.2, S, 4.0, 2.0)
    curve = bounds.curve(name, np.arange(0, 1001, 50))
    assert curve[0] == 0.0
    assert np.all(np.diff(curve) >= -1e-12)
    # A whole curve is refined less than a single value: tolerance 1 %.
    assert curve[-1] == pytest.approx(getattr(bounds, name), rel=0.01)
    shuffled = bounds.curve(name, [1000, 0, 500])
    np.testing.assert_allclose(shuffled, curve[[-1, 0, 10]], rtol=0.01)


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
    # D' = sqrt(2) xi in every step: close to Chernoff's bound, 50 sqrt(e r^2/2) exp(-r^2/4).
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


@pytest.mark.parametrize(("unknown", "least"), [
    ({}, {}), ({"smoothness": None}, {"strong_convexity": 1.0}), ({"smoothness": math.inf}, {"strong_convexity": None})])
def test_without_smoothness_nothing_is_claimed(unknown, least):
    # Curvatures (1, 50) and eta 50 = 2.5 > 2: every chain exits. Without 50 as an argument no bound may be below 1.
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


def test_a_flat_potential_needs_its_smoothness():
    flat, unknown = exit_bounds(2, 5e-4, 1000, 3.0, smoothness=0.0), exit_bounds(2, 5e-4, 1000, 3.0)
    assert flat.local == flat.sharp < 1.0 and flat.conditions == []
    assert unknown.local == unknown.sharp == 1.0 and "0.0 for a flat F" in unknown.conditions[0]
    # Without strong_convexity the local bound uses 0, that is convexity: the sharp bound.
    convex = exit_bounds(2, 5e-4, 1000, 3.0, smoothness=4.0)
    assert convex.local == convex.sharp == flat.sharp and convex.conditions == []
    assert convex.assumes[-1] == "curvature in the ball lies in [0, 4]"
    assert flat.assumes[1:] == ("every gradient is full, S = 0", "F = 0 in the ball")
    assert exit_bounds(2, 1e-3, 100, 2.0, 0.5, 3.0, 7.0, 2.0).assumes == (
        "the chain starts within rho_0 = 0.5 of the mode", "no batch errs by more than S = 3 in the ball",
        "curvature in the ball lies in [2, 7]")
    with pytest.raises(ValueError, match="strong_convexity must lie in"):
        exit_bounds(2, 5e-4, 1000, 3.0, smoothness=0.0, strong_convexity=1.0)
    for name, at in (("sharp", [1001]), ("sharp", [0.5]), ("sharp", []), ("azuma", [1])):
        with pytest.raises(ValueError, match="name must" if name == "azuma" else "at_steps must"):
            flat.curve(name, at)


GOOD = dict(
    dim=2, step_size=1e-4, steps=100, radius=0.3, start=0.02, batch_size=64, variance_trace=300.0,
    variance_max=200.0, increment_bound=600.0, strong_convexity=90.0, smoothness=110.0,
)  # fmt: skip


def test_what_it_returns():
    certified = conditional_variance_bound(**GOOD, sbar="certified")
    assert certified.added == 0.01 and certified.sbar < 600.0
    assert "matrix Bernstein" in certified.assumes[-1]
    # n (d + 1) exp(-Sbar^2/2 / (V + B Sbar/(3b))) is the added failure.
    s = certified.sbar
    assert 100 * 3 * np.exp(-(s**2) / 2 / (300.0 + 600.0 * s / 192)) == pytest.approx(0.01)
    largest = conditional_variance_bound(**GOOD, sbar="bound")
    assert (largest.sbar, largest.added) == (600.0, 0.0)
    best = conditional_variance_bound(**GOOD)
    assert best.value == min(certified.value, largest.value)
    assert any("trace V = 300" in words for words in best.assumes)


@pytest.mark.parametrize("sbar", ["bound", "certified"])
def test_one_step_with_batch_noise_by_hand(sbar):
    """Minimum of exp(t_1 rho_0^2 + C_1 - theta r^2) over grids of theta and Hoelder exponents, plus the added failure."""
    d, eta, r, rho, b, V, v, B, m = 2, 0.01, 1.0, 0.9, 16, 50.0, 30.0, 40.0, 50.0
    bound = conditional_variance_bound(d, eta, 1, r, rho, b, V, v, B, m, m, sbar)
    theta, q = np.geomspace(0.1, 0.2499 / eta, 4000)[:, None], np.array(HOLDERS)
    k, p, room = (1 - eta * m) ** 2, q / (q - 1), 1 - 4 * eta * theta
    a = theta / room
    M = 2 * q * a * eta * np.sqrt(k) * r * B / b
    with np.errstate(over="ignore"):
        t = a * k * (1 + 4 * a * eta**2 * v * q * (np.expm1(M) - M) / M**2)
        C = np.log1p(V / bound.sbar**2 * np.expm1(p * a * (eta * bound.sbar) ** 2)) / p - d / 2 * np.log(room)
    assert bound.added == (0.01 if sbar == "certified" else 0.0)
    assert bound.value == pytest.approx(np.exp((t * rho**2 + C - theta * r**2).min()) + bound.added, rel=1e-4)


def test_without_noise_it_is_the_local_bound():
    quiet = exit_bounds(2, 1e-4, 100, 0.3, 0.02, smoothness=110.0, strong_convexity=90.0)
    silent = GOOD | dict(variance_trace=0.0, variance_max=0.0, increment_bound=0.0)
    assert conditional_variance_bound(**silent).value == quiet.local
    nearly = GOOD | dict(variance_trace=1e-6, variance_max=1e-6, increment_bound=1e-3)
    assert conditional_variance_bound(**nearly).value == pytest.approx(quiet.local, rel=0.01)


def test_nothing_is_claimed_without_smoothness():
    curved = {key: value for key, value in GOOD.items() if key != "smoothness"}
    neither = {key: value for key, value in curved.items() if key != "strong_convexity"}
    for unknown in (curved, neither, neither | {"increment_bound": 0.0, "variance_trace": 0.0, "variance_max": 0.0}):
        bound = conditional_variance_bound(**unknown)
        assert bound.value == 1.0 and "smoothness L_F is not given" in bound.assumes[0]
    unstable = conditional_variance_bound(**(GOOD | dict(step_size=0.02)))
    assert unstable.value == 1.0 and "2/L_F" in unstable.assumes[0]
    flat = conditional_variance_bound(**neither, smoothness=0.0)
    assert flat.value < 1.0 and "F = 0 in the ball" in flat.assumes
