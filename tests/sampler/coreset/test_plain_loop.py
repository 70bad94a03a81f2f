"""The compiled Gaussian loop against a plain NumPy one: the same law (their speeds are in tests/benchmarks/coreset.py)."""

import numpy as np
from scipy import stats

from sampler.coreset import CoresetMCMC, GaussianLocation
from tests.sampler.coreset import plain_loop


def test_plain_and_compiled_weights_have_one_law():
    model = GaussianLocation.synthetic(1000, 4, 0)
    plain = [plain_loop.numpy_hot_dog(model.rows[:, :4], 30, 400, seed) for seed in range(80)]
    fast = [CoresetMCMC(model, 30, hot_start=False, seed=seed).run(400).weights for seed in range(80)]
    moved, expected = (np.median(np.abs(np.array(w) - 1000 / 30), axis=1) for w in (fast, plain))
    assert stats.ks_2samp(moved, expected).pvalue > 1e-3 and np.median(expected) > 0.05
