"""Samplers and data at a given t, reached without paying for every epoch."""

from collections.abc import Callable

import numpy as np

from sampler import LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms.sampler_copies import sampler_at

DIM, BATCH = 21, 64
SETTINGS = Settings(eta0=0.1, batch_size=BATCH, i_max=1)


def paper_rows(t: int, dim: int = DIM, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Sparse features as in LMV-n section 5 with an intercept, labels by a coin: (t, dim), (t,)."""
    rng = np.random.default_rng(seed)
    features = (rng.random((t, dim)) < 0.25).astype(float)
    features[:, -1] = 1.0
    return features, (rng.random(t) < 0.5).astype(float)


def saga_at(t: int, chains: int = 1, dim: int = DIM, settings: Settings = SETTINGS) -> OnlineSagaLD:
    """Online SAGA-LD that has seen t data, all epochs before in one compiled call of one step each."""
    saga = OnlineSagaLD(LogisticRegression(dim), settings.replace(i_max=1), chains=chains, seed=0)
    saga.observe(*paper_rows(t, dim))
    saga.settings = settings
    return saga


def open_saga_at(t: int, **options) -> OnlineSagaLD:
    """The same at t data, its last epoch open with no end in sight: ``advance(n)`` makes n steps."""
    saga = saga_at(t - 1, **options)
    saga.settings = saga.settings.replace(i_max=10**9, random_length=False)
    features, labels = paper_rows(1, options.get("dim", DIM))
    saga.arrive(features[0], labels[0])
    return saga


def own_steps(kind: type, features: np.ndarray, labels: np.ndarray, n: int) -> Callable[[], object]:
    """Function that makes n steps of a compiled sampler without memory, in the epoch that the first datum opens."""
    settings = SETTINGS.replace(i_max=10**12, random_length=False)
    chain = sampler_at(kind, LogisticRegression(DIM), (features[1:], labels[1:]), settings, 1, 0, np.zeros(DIM))
    chain.arrive(features[0], labels[0])
    return lambda: chain.advance(n)
