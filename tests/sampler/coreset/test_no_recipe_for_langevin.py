"""DoG's rule, taken for the step of a Langevin chain: too hot, the more so the more data, and not free of the start."""

import numpy as np
import pytest

from sampler import OfflineSGLD
from sampler.theory import gaussian_experiment


def dog_step(experiment, start, seed):
    """Farthest distance from the start over the root of the summed squared gradients, after one pass of SGLD."""
    rng, n = np.random.default_rng(seed), len(experiment.data)
    x, far, total, eta = start.copy(), 1e-3, 0.0, 0.0
    for k in rng.integers(n, size=n):
        gradient = experiment.curvatures * (x - experiment.data[k])
        total += gradient @ gradient
        far = max(far, float(np.linalg.norm(x - start)))
        eta = far / np.sqrt(total)
        x = x - eta * gradient + np.sqrt(2 * eta) * rng.standard_normal(x.size)
    return eta


# Ratios of medians of five seeds; a seed's step varies by some 15 %, so a median by 8 %: the ranges are wider.
@pytest.mark.parametrize(("n", "low", "high"), [
    (500, 3.5, 7.0), (5000, 8.0, 15.0), pytest.param(50_000, 22.0, 42.0, marks=pytest.mark.slow)])
def test_distance_over_gradients_is_too_hot_a_step(n, low, high):
    experiment = gaussian_experiment(n)
    best = experiment.best_step_size(OfflineSGLD(batch_size=1), passes=1.0)
    taken = np.median([dog_step(experiment, experiment.start, seed) for seed in range(5)])
    assert low < taken / best < high


def test_it_depends_on_where_the_chain_starts():
    experiment = gaussian_experiment(5000)
    near, far = (np.median([dog_step(experiment, start, seed) for seed in range(3)])
                 for start in (experiment.start, np.full(10, 3.0)))
    assert far > 1.7 * near
