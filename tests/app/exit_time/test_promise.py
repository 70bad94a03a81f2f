"""The promise of an epoch on the page: its numbers are the library's, the chains keep it, and words say what is what."""

import numpy as np
import pytest
from scipy.stats import chi2

from app.exit_time.cards import statements
from app.exit_time.promise import EpochLaw, grid_of, levels_of, stops_of
from app.exit_time.result_words import promise_caption, promise_spoken
from app.exit_time.target_and_start import prepare_exits
from app.state.exit_time import PRESETS, ExitConfig
from sampler import ExitSimulation, synthetic_logistic
from sampler.theory import epoch_certificate, logistic_theorem
from tests.app.exit_time.test_results import compute

BOWL = PRESETS["quadratic"].config
LONG = BOWL.replace(steps=4000, radius=4.5, chains=4000)


@pytest.fixture(scope="module")
def long():
    return compute(LONG)


def test_the_chains_keep_the_promise_and_it_is_the_librarys(long):
    promise = long.promise
    # What is measured is the distance of a statistic, at most the total variation, and the noise of its bins.
    assert np.all(promise.measured <= promise.promised + 4 * promise.floor)
    assert np.all(promise.promised <= promise.lemma)
    assert promise.promised[-1] < 0.5 < promise.promised[0]
    last = epoch_certificate(2, LONG.step_size, 4000, np.sqrt(2.0), 0.0, 1.0, promise.last.exit)
    assert promise.last.value == pytest.approx(last.value)
    # The exit term is a mean over the steps of a rising bound: below the last one.
    assert 0 < promise.last.exit < long.bounds.last("local")


def test_the_measured_distance_is_that_of_the_mixture():
    """From the mode, S = 0: X_i is N(0, v_i I), so the squared distance over v_i is chi-square: exact shares of bins."""
    config = BOWL.replace(chains=20_000)
    setup = prepare_exits(config, None)
    law = EpochLaw(setup, levels_of(setup, grid_of))
    run = ExitSimulation(setup.target, config.step_size, config.steps, config.radius, chains=20_000)
    for stop in law.stops:
        run.run(until=int(stop))
        law.look(run)
    keep = (1 - config.step_size) ** 2
    variances = 2 * config.step_size * (1 - keep**law.stops) / (1 - keep)
    edges = chi2.ppf(np.linspace(0, 1, 21), 2)
    shares = np.diff(chi2.cdf(edges[None, :] / variances[:, None], 2), axis=1)
    exact = 0.5 * np.abs(np.cumsum(shares, axis=0) / np.arange(1, 41)[:, None] - 0.05).sum(axis=1)
    # 20,000 chains: every share is within 4 sqrt(.05 / 20,000) = 0.006 where bins are equal; ten such add up at most.
    np.testing.assert_allclose(law.distance, exact, atol=0.02)


def test_a_flat_potential_has_no_promise():
    assert compute(PRESETS["printed"].config.replace(chains=400)).promise is None
    assert stops_of(3).tolist() == [1, 2, 3] and stops_of(10_000).size == 40 and stops_of(10_000)[-1] == 10_000


def test_the_caption_lists_terms_and_their_assumptions(long):
    text = promise_caption(long)
    assert "TV ≤ " in text and "<b>Certified:</b>" in text and "<b>Measured:</b>" not in text and "W₂ = 1.414, exact" in text
    assert "measured" in promise_spoken(long.promise)
    empty = compute(BOWL.replace(steps=10, chains=200))
    assert empty.promise.last.value == 1.0 and "the start: raise iₘₐₓ" in promise_caption(empty)
    assert "bound" in promise_caption(None)
    hot = compute(ExitConfig(radius=8.0, step_size=1.5, dim=2, steps=50, curvature=1.0, chains=400))
    assert "above 1/L" in promise_caption(hot)


def test_the_start_at_a_distance_is_coupled_by_radius():
    promise = compute(LONG.replace(start="distance", distance=1.2, steps=100, chains=200)).promise
    # E (1.2 - |Y|)^2 for |Y| of two normals: 1.44 - 2.4 sqrt(pi/2) + 2.
    assert promise.wasserstein == pytest.approx(np.sqrt(3.44 - 2.4 * np.sqrt(np.pi / 2)))


def test_the_statements_quote_the_librarys_numbers():
    theorem, text = logistic_theorem(*synthetic_logistic(1000, 20)), statements()
    assert f"a spread of 316 where {theorem.spread:.2f} is so," in text and f"for K ≥ {theorem.needed:.2g}." in text
    assert "from t = 2.9 × 10¹⁴ on" in text
    assert "it says 10<sup>−7,678</sup> where 0.045 is so" in text
    assert "average 0.39 away" in text and "takes 98.8 % of them" in text
