"""The numbers that a verdict compares: limits with their noise by scipy's quantiles, and resets a chain's epoch by hand."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from sampler import Settings, judge
from sampler.tuning.verdicts.measurements import (
    CHANCE,
    LAG_LIMIT,
    MEMORY_LIMIT,
    NARROW_LIMIT,
    RESETS_LIMIT,
    WIDTH_LIMIT,
    Measurements,
    normal_reach,
    poisson_quantile,
)
from sampler.tuning.verdicts.rules import travel

SETTINGS = Settings(eta0=0.1, i_max=100, offset=2.0)
FINE = {"accuracy": 0.95, "ceiling": 0.95, "width_bias": 0.0, "narrowness": 0.0, "lag": 0.0, "memory": 0.0}


def measured(**values):
    return Measurements(SETTINGS, **({"t": 5000, "chains": 16, "epochs": 500, "window": 480} | values))


@pytest.mark.parametrize("dim", [1, 21])
@pytest.mark.parametrize("reference", [None, 700.0])
@pytest.mark.parametrize(("memory", "spacing"), [(None, 1), (0.0, 1), (-0.4, 1), (0.3, 1), (0.6, 4)])
def test_limits_are_their_tables_and_the_noise_of_what_was_measured(dim, reference, memory, spacing):
    draws, pairs = 1000.0, 67.0
    found = measured(draws=draws, pairs=pairs, dim=dim, memory=memory, spacing=spacing, reference_draws=reference).limits
    reach, error = stats.norm.isf(CHANCE / dim), 1 / math.sqrt(67 - 3)
    kept = 0.0 if memory is None else math.tanh(math.atanh(max(memory, 0.0)) + error) ** spacing
    for name, limit, share, spread in (
            ("width", WIDTH_LIMIT, (1 - kept**2) / (1 + kept**2), 2.0),
            ("narrowness", NARROW_LIMIT, (1 - kept**2) / (1 + kept**2), 2.0),
            ("lag", LAG_LIMIT, (1 - kept) / (1 + kept), 1.0)):
        variance = 1 / (draws * share) + (0.0 if reference is None else 1 / reference)
        assert found[name] == pytest.approx(limit + reach * math.sqrt(variance / spread)), name
    assert found["memory"] == pytest.approx(math.tanh(math.atanh(MEMORY_LIMIT) + reach * error))


def test_what_is_measured_without_noise_or_with_an_unknown_one_has_the_bare_limits():
    for counts in ({"draws": math.inf, "pairs": math.inf}, {}, {"draws": 50.0, "pairs": 50.0}):
        found = measured(**counts).limits
        assert (found["width"], found["narrowness"], found["lag"]) == (WIDTH_LIMIT, NARROW_LIMIT, LAG_LIMIT)
        assert found["memory"] == pytest.approx(MEMORY_LIMIT)


@pytest.mark.parametrize(("chains", "window", "resets"), [(16, 480, 12), (64, 480, 4), (512, 120, 140), (9, 0, 3)])
def test_resets_are_counted_by_chain_and_epoch_and_allowed_what_chance_makes(chains, window, resets):
    found = measured(chains=chains, window=window, resets=resets)
    epochs = chains * max(window, 1)
    assert found.reset_rate == resets / epochs
    allowed = max(1.0, stats.poisson.ppf(1 - CHANCE, RESETS_LIMIT * epochs))  # one alone is chance
    assert found.limits["resets"] == pytest.approx(max(RESETS_LIMIT, allowed / epochs))


@pytest.mark.parametrize("chains", [1, 64, 1024])
def test_resets_are_a_fault_beyond_what_is_allowed_of_the_epochs_they_were_counted_in(chains):
    """The same number is many in the 40 epochs since the checkpoint and few in the 480 epochs of everything else."""
    short = chains * 40
    allowed = int(max(1.0, stats.poisson.ppf(1 - CHANCE, RESETS_LIMIT * short)))
    at, beyond = (measured(**FINE, chains=chains, resets=count, resets_window=40) for count in (allowed, allowed + 1))
    assert at.reset_rate == allowed / short and beyond.reset_rate == (allowed + 1) / short
    assert judge(at).kind != "resets" and judge(beyond).kind == "resets"
    assert f"{allowed + 1} resets in the last 40 epochs" in judge(beyond).sentence
    if chains == 1024:
        assert judge(measured(**FINE, chains=chains, resets=allowed + 1)).kind != "resets"


def test_quantiles_are_those_of_scipy():
    chances = CHANCE / np.arange(1, 2_000)
    # both are right to 1e-16 in relative size, and a quantile of 2 to 4 has an ulp of 4.4e-16
    np.testing.assert_allclose([normal_reach(one) for one in chances], -ndtri(chances), rtol=1e-15)
    means = np.concatenate([np.geomspace(1e-6, 3e5, 300), np.arange(1, 200) / 1000])
    assert [poisson_quantile(1 - CHANCE, mean) for mean in means] == stats.poisson.ppf(1 - CHANCE, means).tolist()


def test_a_chain_that_travels_so_far_remembers_as_much():
    for memory in (0.01, 0.05, 0.3, 0.5, 0.9, 0.999):
        k = travel(memory)
        # the interval in which k lies is 1e-12 wide, and the slope of (1 - exp(-k))/k is below 1/2
        assert -math.expm1(-k) / k == pytest.approx(memory, abs=1e-12)
