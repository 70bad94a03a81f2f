"""Bounds against simulated chains: the valid ones must hold everywhere."""

import functools

import numpy as np
import pytest

from sampler.theory.block_bounds import geometric_time
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_simulation import ExitSimulation, exit_limits
from sampler.theory.exit_targets import flat_target, logistic_target, quadratic_target

SETTINGS = 120
WORK = 6e6  # coordinate-steps a setting: a few seconds in all on one core
# Clopper-Pearson, 0.1 % on the lower side, at each setting by itself: with no correction for their number
# the test is stricter. Seeds are fixed, so it passes for ever or not at all; for bounds exactly equal to the
# truth 120 x 0.001 false alarms would be expected, and real bounds stay well above.
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
    assert sum(exits >= 10 for exits, _, _ in seen) >= 80
    assert sum(b.local < 0.99 for _, _, b in seen) >= 80
    assert len(violations("sharp", 0.2)) >= 25
    assert len(violations("local", 0.2)) >= 25
    assert {b.noise_bound > 0 for _, _, b in seen} == {False, True}
    assert max(b.dim for _, _, b in seen) > 90
