"""Simulation-based calibration (Talts et al. 2018): can a sampler recover parameters that made the data?"""

import numpy as np
from scipy.stats import chi2

from sampler import LogisticRegression

DATA, DIM, CHAINS = 12, 2, 9
LIMIT = chi2.ppf(1 - 1e-4, CHAINS)  # ten cells: a calibrated sampler passes this once in 10,000 seeds


def rank_statistics(sampler, settings, steps: int, replications: int, seed: int = 0) -> tuple[float, float]:
    """Chi-squared of the ranks of the true theta_1 and of its potential F_t among independent chains' samples.

    theta ~ prior, data ~ model given theta, chains ~ sampler given data: if the chains reach the posterior, every
    rank 0..CHAINS is equally likely, whatever the posterior is. Chains start from the prior and make ``steps`` steps.
    """
    rng = np.random.default_rng(seed)
    counts = np.zeros((2, CHAINS + 1))
    for k in range(replications):
        theta, features = rng.standard_normal(DIM), rng.standard_normal((DATA, DIM))
        labels = (rng.random(DATA) < 1 / (1 + np.exp(-features @ theta))).astype(int)
        s = sampler(LogisticRegression(DIM), settings.replace(i_max=1, random_length=False), chains=CHAINS, seed=k)
        s.observe(features[:-1], labels[:-1])
        s.arrive(features[-1], labels[-1])
        s.settings = s.settings.replace(i_max=steps)
        s.advance(steps)
        drawn, potential = s.positions, s.posterior.potential
        counts[0, (drawn[:, 0] < theta[0]).sum()] += 1
        counts[1, (potential(drawn) < potential(theta)).sum()] += 1
    expected = replications / (CHAINS + 1)
    return tuple(((counts - expected) ** 2).sum(axis=1) / expected)
