"""Within a minor version a seed gives the same chain: what chains of this one come to stands here."""

import numpy as np
import pytest

from sampler import LogisticRegression, OnlineSagaLD, PreconditionedSagaLD
from sampler.version import VERSION, release_numbers

MINOR = (1, 2)
"""Of the numbers below. A change of them needs another minor version, and a line in the changes that says so."""
MEANS = {OnlineSagaLD: [1.1094160896833674, 1.869564025865315, 0.48910243833912925],
         PreconditionedSagaLD: [1.243861125187391, 1.3617846319736624, 0.1641530464030866]}


@pytest.mark.parametrize("algorithm", MEANS)
def test_a_seed_gives_the_chain_of_this_minor_version(algorithm):
    """After 12 epochs; another processor may round a last bit otherwise, which so few steps make no larger than 1e-6."""
    rows = np.cos(np.arange(36.0)).reshape(12, 3)
    saga = algorithm(LogisticRegression(3), chains=8, seed=2019)
    saga.observe(rows, np.where(rows[:, 0] > 0, 1.0, -1.0))
    assert release_numbers(VERSION)[:2] == MINOR
    assert saga.positions.mean(axis=0) == pytest.approx(MEANS[algorithm], rel=1e-6)
