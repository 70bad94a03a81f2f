import numpy as np
import pytest

from sampler.theory.conditional_variance_bound import batch_noise, conditional_variance_bound
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.survival_curve import exit_limits

GOOD = dict(
    dim=2, step_size=1e-4, steps=100, radius=0.3, start=0.02, batch_size=64, variance_trace=300.0,
    variance_max=200.0, increment_bound=600.0, strong_convexity=90.0, smoothness=110.0,
)  # fmt: skip


def test_it_removes_most_of_the_price_of_the_largest_noise():
    quiet, loud = (exit_bounds(2, 1e-4, 100, 0.3, 0.02, S, 110.0, 90.0).local for S in (0.0, 600.0))
    value = conditional_variance_bound(**GOOD).value
    assert quiet <= value < 1.1 * quiet
    assert value < 0.5 * loud


@pytest.mark.parametrize("case", range(12))
def test_against_simulated_batches(case):
    """Terms f_k = h ||x - y_k||^2 / 2: the delta_k differ by constants, so that V, v and B are exact."""
    rng = np.random.default_rng([7, case])
    terms, batch, dim = 20, int(rng.integers(1, 6)), int(rng.integers(1, 4))
    curvature, steps, chains = float(np.exp(rng.uniform(-1, 1))), int(rng.integers(5, 80)), 3000
    spread = rng.normal(size=(terms, dim)) * np.exp(rng.uniform(-2, 0))
    spread[0] *= 4.0  # one wild term: B far above the usual noise
    surplus = curvature * (spread - spread.mean(0))  # t (delta_k - mean delta), h = curvature / t
    covariance = surplus.T @ surplus / terms / batch
    m = curvature
    step_size = rng.uniform(0.01, 0.5) / m
    radius = np.sqrt(dim / m) * rng.uniform(1.2, 2.5)
    x, left = np.zeros((chains, dim)), np.zeros(chains, bool)
    for _ in range(steps):
        zeta = surplus[rng.integers(terms, size=(chains, batch))].sum(1) / batch
        x = x - step_size * (m * x + zeta) + np.sqrt(2 * step_size) * rng.normal(size=x.shape)
        left |= np.linalg.norm(x, axis=1) >= radius
    for sbar in ("bound", "certified", "best"):
        found = conditional_variance_bound(
            dim, step_size, steps, radius, 0.0, batch, float(np.trace(covariance)),
            float(np.linalg.eigvalsh(covariance)[-1]), float(np.linalg.norm(surplus, axis=1).max()),
            m, m, sbar,
        )  # fmt: skip
        assert found.value >= exit_limits(left.sum(), chains, 0.998)[0]


@pytest.mark.parametrize("terms", [3, 30])
def test_the_noise_of_a_state(terms):
    rng = np.random.default_rng(3)
    fresh, cached = rng.normal(size=(2, terms, 5))
    noise = batch_noise(fresh, cached, 4)
    delta = fresh - cached
    covariance = np.cov(delta.T, bias=True) * terms**2 / 4
    assert noise.variance_trace == pytest.approx(np.trace(covariance))
    assert noise.variance_max == pytest.approx(np.linalg.eigvalsh(covariance)[-1])
    # The exact bound on a batch is attained by its worst index, b times.
    worst = [np.linalg.norm(terms * (delta[k] - delta.mean(0))) for k in range(terms)]
    assert noise.increment_bound == pytest.approx(max(worst))
    assert batch_noise(fresh, None, 4).variance_trace == batch_noise(fresh, 0 * cached, 4).variance_trace
    with pytest.raises(ValueError, match="fresh must"):
        batch_noise(fresh[0], cached[0], 4)


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


def test_without_noise_it_is_the_local_bound():
    quiet = exit_bounds(2, 1e-4, 100, 0.3, 0.02, smoothness=110.0, strong_convexity=90.0)
    silent = GOOD | dict(variance_trace=0.0, variance_max=0.0, increment_bound=0.0)
    assert conditional_variance_bound(**silent).value == quiet.local
    nearly = GOOD | dict(variance_trace=1e-6, variance_max=1e-6, increment_bound=1e-3)
    assert conditional_variance_bound(**nearly).value == pytest.approx(quiet.local, rel=0.01)


def test_unstable_steps_bound_nothing():
    found = conditional_variance_bound(**(GOOD | dict(step_size=0.02)))
    assert found.value == 1.0 and "2/L_F" in found.assumes[0]


def test_nothing_is_claimed_without_smoothness():
    curved = {key: value for key, value in GOOD.items() if key != "smoothness"}
    neither = {key: value for key, value in curved.items() if key != "strong_convexity"}
    for unknown in (curved, neither, neither | {"increment_bound": 0.0, "variance_trace": 0.0, "variance_max": 0.0}):
        found = conditional_variance_bound(**unknown)
        assert found.value == 1.0 and "smoothness L_F is not given" in found.assumes[0]
    flat = conditional_variance_bound(**neither, smoothness=0.0)
    assert flat.value < 1.0 and "F = 0 in the ball" in flat.assumes


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch_size", 0),
        ("variance_trace", -1.0),
        ("variance_max", 301.0),
        ("increment_bound", np.nan),
        ("added_failure", 1.0),
        ("sbar", "seen"),
        ("radius", 0.01),
        ("dim", 0),
    ],
)
def test_bad_input_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"{name} must"):
        conditional_variance_bound(**(GOOD | {name: value}))
