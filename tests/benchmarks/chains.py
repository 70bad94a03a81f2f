"""Samplers and data at epoch t, without the cost of all earlier epochs."""

from collections.abc import Callable

import numpy as np

from sampler import LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms.sampler_copies import sampler_at

DIM, BATCH = 21, 64
SETTINGS = Settings(eta0=0.1, batch_size=BATCH, i_max=1)


def paper_rows(t: int, dim: int = DIM, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return sparse features as in LMV-n section 5 with an intercept, (t, dim), and fair-coin labels, (t,)."""
    rng = np.random.default_rng(seed)
    features = (rng.random((t, dim)) < 0.25).astype(float)
    features[:, -1] = 1.0
    return features, (rng.random(t) < 0.5).astype(float)


def saga_at(t: int, chains: int = 1, dim: int = DIM, settings: Settings = SETTINGS) -> OnlineSagaLD:
    """Return online SAGA-LD after t data, with earlier epochs of one step each in one compiled call."""
    saga = OnlineSagaLD(LogisticRegression(dim), settings.replace(i_max=1), chains=chains, seed=0)
    saga.observe(*paper_rows(t, dim))
    saga.settings = settings
    return saga


def open_saga_at(t: int, **options) -> OnlineSagaLD:
    """Return SAGA-LD at t data with its last epoch open and practically endless: ``advance(n)`` makes n steps."""
    saga = saga_at(t - 1, **options)
    saga.settings = saga.settings.replace(i_max=10**9, random_length=False)
    features, labels = paper_rows(1, options.get("dim", DIM))
    saga.arrive(features[0], labels[0])
    return saga


def own_steps(kind: type, features: np.ndarray, labels: np.ndarray, n: int) -> Callable[[], object]:
    """Return a function that makes n steps of a compiled sampler without caches, in the epoch of the first datum."""
    settings = SETTINGS.replace(i_max=10**12, random_length=False)
    chain = sampler_at(kind, LogisticRegression(DIM), (features[1:], labels[1:]), settings, 1, 0, np.zeros(DIM))
    chain.arrive(features[0], labels[0])
    return lambda: chain.advance(n)
