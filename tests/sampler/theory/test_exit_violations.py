"""Bounds against simulated chains: the valid ones must hold everywhere, the printed one must not."""

import functools

import numpy as np
import pytest

from sampler.theory.block_bounds import geometric_time
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_simulation import ExitSimulation
from sampler.theory.exit_targets import flat_target, logistic_target, quadratic_target
from sampler.theory.survival_curve import exit_limits

SETTINGS = 240
WORK = 12e6  # coordinate-steps a setting: the whole file stays under half a minute on one core
# Clopper-Pearson, 0.1 % on the lower side, at each setting by itself: with no correction for their number
# the test is stricter. Seeds are fixed, so it passes for ever or not at all; for bounds exactly equal to the
# truth 240 x 0.001 false alarms would be expected, and real bounds stay well above.
LEVEL = 0.998


def random_target(kind, rng):
    if kind == "logistic":
        dim = int(rng.integers(1, 13))
        features = rng.normal(size=(int(rng.integers(1, 40)), dim))
        labels = (features @ rng.normal(size=dim) + rng.logistic(size=len(features)) > 0).astype(float)
        return logistic_target(features, labels, np.exp(rng.uniform(-1, 1)))
    dim = int(np.exp(rng.uniform(0, np.log(101))))
    if kind == "flat":
        return flat_target(dim)
    return quadratic_target(np.exp(rng.uniform(0, rng.uniform(0, 3), size=dim)))


def random_setting(index):
    """Setting ``index``: each F, with and without gradient noise, d 1..100, eta up to 2/L_F, n up to 3,000.

    The radius lies near where the chains are at the end, so that a fair share of them leaves.
    """
    rng = np.random.default_rng([2024, index])
    target = random_target(("flat", "quadratic", "logistic")[index % 3], rng)
    dim = target.dim
    steps = int(np.exp(rng.uniform(0, np.log(300 if target.rows.size else 3000))))
    least, largest = target.curvature(0.0)
    step_size = np.exp(rng.uniform(np.log(1e-3), np.log(1.9))) / max(largest, 1.0)
    time = float(geometric_time(steps, max((1 - step_size * least) ** 2, 1e-9)))
    variance = 2 * step_size * dim * time
    noise = 0.0
    if (index // 3) % 2:
        noise = np.sqrt(variance / steps) * np.exp(rng.uniform(-3, 1)) / step_size
        variance += (step_size * noise) ** 2 * time
    start = np.sqrt(variance) * rng.choice([0.0, rng.uniform(0, 1)])
    radius = np.sqrt(variance + start**2) * (1 + rng.uniform(0.2, 2.0) / np.sqrt(dim))
    m, L = target.curvature(radius)
    step_size = min(step_size, 2 / L) if L > 0 else step_size
    setting = dict(step_size=step_size, steps=steps, radius=radius, start=start, noise_bound=noise)
    return target, setting, m, L


@functools.cache
def measure(index):
    """Exits, chains and the bounds of setting ``index``."""
    target, setting, m, L = random_setting(index)
    cost = setting["steps"] * (target.dim + 2) * (1 + len(target.rows))
    run = ExitSimulation(
        target, **setting, chains=int(np.clip(WORK / cost, 400, 6000)), seed=index, walk_free=False, paths=0,
        push_bins=0, noise=("sphere", "radial")[index // 6 % 2],
    )  # fmt: skip
    run.run()
    bounds = exit_bounds(target.dim, **setting, smoothness=L, strong_convexity=m)
    return int((run.exit_steps > 0).sum()), run.chains, bounds


def violations(name, shrink=1.0):
    """Settings in which the bound lies below the lower confidence limit of the exit probability."""
    broken = []
    for index in range(SETTINGS):
        exits, chains, bounds = measure(index)
        if shrink * getattr(bounds, name) < exit_limits(exits, chains, LEVEL)[0]:
            broken.append((index, exits / chains, bounds))
    return broken


@pytest.mark.parametrize("name", ["sharp", "local", "corrected"])
def test_valid_bounds_are_never_below_the_truth(name):
    assert violations(name) == []


def test_the_settings_are_hard_enough():
    """The property could fail: most settings see exits, and bounds a fifth as large would be caught often."""
    seen = [measure(i) for i in range(SETTINGS)]
    assert sum(exits >= 10 for exits, _, _ in seen) >= 150
    assert sum(b.local < 0.99 for _, _, b in seen) >= 150
    assert len(violations("sharp", 0.2)) >= 50
    assert len(violations("local", 0.2)) >= 50
    assert {b.noise_bound > 0 for _, _, b in seen} == {False, True}
    assert max(b.dim for _, _, b in seen) > 90


def test_the_printed_bound_fails_in_some_random_settings():
    assert len(violations("printed")) >= 1


def test_the_bounds_are_not_far_above_the_truth():
    """Median over settings with 10 exits or more; measured 6.0 and 5.8, and 1.25 times that is allowed."""
    ratios = [(b.sharp * k / x, b.local * k / x) for x, k, b in map(measure, range(SETTINGS)) if x >= 10]
    sharp, local = np.median(ratios, axis=0)
    assert sharp < 7.5
    assert local < 7.3


@pytest.mark.parametrize(
    ("steps", "radius", "printed", "simulated", "chains"),
    [(100_000, 2.0, 2.7e-12, 0.245, 3_000), (10_000, 2.5, 2.3e-5, 0.081, 10_000)],
)
def test_the_printed_bound_is_violated(steps, radius, printed, simulated, chains):
    """F = 0, d = 2, 2 eta n = 1. Do not repair ``.printed``: it is meant to be what the paper prints."""
    run = ExitSimulation(
        flat_target(2), 0.5 / steps, steps, radius, chains=chains, seed=0, walk_free=False, push_bins=0
    )
    run.run()
    exits = int((run.exit_steps > 0).sum())
    # The reference had about as many chains: five standard deviations of the difference.
    error = 5 * np.sqrt(2 * simulated * (1 - simulated) / chains)
    assert exits / chains == pytest.approx(simulated, abs=error)
    bounds = exit_bounds(2, 0.5 / steps, steps, radius, smoothness=0.0)
    low = exit_limits(exits, chains, LEVEL)[0]
    assert bounds.printed == pytest.approx(printed, rel=0.02)
    assert bounds.printed < 1e-3 * low
    assert bounds.sharp > low and bounds.local > low


@pytest.mark.parametrize(
    ("dim", "time", "ratio", "simulated"),
    [(2, 1, 1.5, 0.257), (2, 1, 2.0, 0.041), (2, 10, 2.5, 0.124), (20, 10, 1.5, 0.095)],
)
def test_the_simulated_column_of_the_curved_table(dim, time, ratio, simulated):
    chains = 8_000
    bowl = quadratic_target(1.0, dim)
    run = ExitSimulation(bowl, time / 400, 400, ratio * np.sqrt(dim), chains=chains, seed=1)
    run.run()
    # The reference is rounded to 0.0005 and has some thousand chains behind it, 2,000 at the least.
    error = 5 * np.sqrt(simulated * (1 - simulated) * (1 / chains + 1 / 2000)) + 0.0005
    assert (run.exit_steps > 0).mean() == pytest.approx(simulated, abs=error)
