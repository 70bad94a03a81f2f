"""Results of the worker, their texts, and the bound on an epoch's total variation, which the chains satisfy."""

import numpy as np
import pytest
from scipy.stats import chi2

from app.csv_text import result_columns
from app.exit_time import result_words
from app.exit_time.cards import statements
from app.exit_time.drawings import survival_columns
from app.exit_time.job import ExitResult, run_exits
from app.exit_time.promise import EpochLaw, grid_of, levels_of, stops_of
from app.exit_time.simulated_chains import choose, order
from app.exit_time.target_and_start import prepare_exits
from app.state.exit_time import PRESETS, ExitConfig
from sampler import ExitSimulation, exit_bounds, synthetic_logistic
from sampler.theory import epoch_certificate, logistic_theorem

BOWL = PRESETS["quadratic"].config
LONG = BOWL.replace(steps=4000, radius=4.5, chains=4000)


class Recorder:
    """A job handle outside a worker that stores all publications."""

    stopped = False

    def __init__(self):
        self.published, self.kept = [], {}

    def publish(self, value=None, fraction=None, words=""):
        self.published.append(value)


def compute(config: ExitConfig) -> ExitResult:
    handle = Recorder()
    result = run_exits(config, None, handle)
    assert result.complete and handle.published and not any(early.complete for early in handle.published)
    return result


@pytest.fixture(scope="module")
def printed() -> ExitResult:
    return compute(PRESETS["printed"].config)


@pytest.fixture(scope="module")
def bowl() -> ExitResult:
    return compute(BOWL)


def test_the_printed_bound_fails(printed):
    # P(exit) from a grid of many runs is 0.081; the tolerance is five standard errors (0.0043) of 4,000 chains.
    assert 1 - printed.crowd.inside.share[-1] == pytest.approx(0.081, abs=0.022)
    assert printed.bounds.last("printed") == pytest.approx(2.28e-5, rel=0.01)
    assert result_words.printed_fails(printed)
    assert "The printed bound is above it" in result_words.reading(printed)
    assert "not a bound" in result_words.spoken(printed)
    assert printed.bounds.last("corrected") == 1.0
    assert result_words.timing(printed).startswith("4,000 chains × 10,000 steps took ")


def test_the_bounds_equal_those_of_the_library(bowl):
    config = bowl.config
    bounds = exit_bounds(config.dim, config.step_size, config.steps, config.radius, smoothness=config.curvature,
                         strong_convexity=config.curvature)
    assert bowl.bounds.last("local") == pytest.approx(bounds.local)
    assert bowl.bounds.last("sharp") == pytest.approx(bounds.sharp)
    assert not result_words.printed_fails(bowl)
    times = bowl.bounds.last("local") * bowl.crowd.chains / bowl.crowd.left
    assert f"{times:.1f} times the observed exits" in result_words.reading(bowl)


def test_the_mixture_is_quoted_if_it_is_sharper():
    long = compute(BOWL.replace(step_size=0.025, radius=3.5355, chains=2000))
    # eta m n = 10: 0.124 of the chains leave, blocks allow 0.42 and the mixture about half of that.
    assert 0.124 < long.bounds.mixed < 0.25 < long.bounds.last("local")
    assert f"One mixture over all θ instead of blocks: {long.bounds.mixed:.3f}." in result_words.reading(long)


def test_the_decomposed_chain_exits_and_its_parts_add_up(bowl):
    split = bowl.sums
    assert split.left == len(split.parts.pull) and split.parts.error < 1e-14
    assert split.parts.squared_distance[-1] >= bowl.config.radius**2
    assert "never points outward" in result_words.splitting(bowl)


def test_paths_end_at_their_exit(printed):
    crowd = printed.crowd
    for row, left in zip(crowd.paths, crowd.path_exits, strict=True):
        after = crowd.path_steps >= left if left else np.zeros(row.size, bool)
        assert np.isnan(row[after]).all() and np.isfinite(row[~after]).all() and (row[~after] < 1).all()


def test_another_chain_or_cut_off_reuses_the_crowd(printed):
    handle = Recorder()
    config = printed.config.replace(chains=300)
    first = run_exits(config, None, handle)
    handle.published.clear()
    another = run_exits(config.replace(chain=5), None, handle)
    cut = run_exits(config.replace(truncation=9.0), None, handle)
    assert handle.published == []  # no new simulation
    assert another.sums.chain == 5 and another.crowd.left == cut.crowd.left == first.crowd.left
    assert cut.bounds.last("printed") > first.bounds.last("printed")


@pytest.mark.parametrize(("config", "words"), [
    (ExitConfig(radius=2, step_size=5e-4, steps=500, curvature=1.0, noise=1000.0, chains=200),
     "because the noise S = 1000 is so large"),
    (ExitConfig(radius=2, step_size=0.5, steps=50, curvature=10.0, chains=200), "lower η to 0.2 or less"),
    (ExitConfig(radius=0.3, step_size=5e-5, steps=10_000, chains=200), "Raise r, or lower η or n"),
])
def test_a_warning_is_shown_when_every_valid_bound_is_1(config, words):
    result = compute(config)
    assert min(result.bounds.last(name) for name in ("corrected", "sharp", "local")) >= 0.9999
    assert words in result_words.warnings(result)[0]
    assert result.crowd.inside.share.size  # the chains are drawn nevertheless


def test_work_is_bounded_and_the_bound_is_noted():
    setup = prepare_exits(ExitConfig(dim=100, steps=100_000, chains=20_000), None)
    assert setup.chains * 100 * 100_000 <= 3e9
    assert "300 chains instead of 20,000" in setup.notes[0]
    assert prepare_exits(ExitConfig(), None).notes == ()


def test_a_path_too_long_to_split_is_flagged_and_not_split(monkeypatch):
    monkeypatch.setattr("app.exit_time.simulated_chains.MOST", 999)
    result = compute(ExitConfig(radius=10.0, step_size=1e-6, dim=2, steps=500, chains=100))
    assert result.sums is None and result.too_long


def test_choice_and_order_of_chains():
    exits = np.array([0, 9, 0, 4, 7])
    assert choose(exits, 5, None) == 4 and choose(exits, 1, None) == 4 and choose(np.zeros(3, int), 3, None) == 0
    assert choose(exits, 5, 2) == 2 and choose(exits, 5, 99) == 4
    assert order(exits) == [3, 4, 1, 0, 2]


def test_csv_has_a_row_per_step(printed):
    lines = result_columns(survival_columns(printed)).splitlines()
    names = "step,inside,band_low,band_high,free_walk,printed,corrected,sharp,local,rotation,made_with"
    assert lines[0] == names
    assert len(lines) == printed.crowd.inside.steps.size + 1
    assert float(lines[-1].split(",")[1]) == pytest.approx(printed.crowd.inside.share[-1])


def test_a_newer_request_ends_an_older_one():
    handle = Recorder()
    handle.publish = lambda *what: setattr(handle, "stopped", True)
    assert run_exits(ExitConfig(steps=100_000, chains=10_000, step_size=5e-6), None, handle) is None


@pytest.fixture(scope="module")
def long():
    return compute(LONG)


def test_the_chains_satisfy_the_bound_and_it_is_the_librarys(long):
    promise = long.promise
    # The measurement is the distance of a statistic, at most the total variation, plus the noise of its bins.
    assert np.all(promise.measured <= promise.promised + 4 * promise.floor)
    assert np.all(promise.promised <= promise.lemma)
    assert promise.promised[-1] < 0.5 < promise.promised[0]
    last = epoch_certificate(2, LONG.step_size, 4000, np.sqrt(2.0), 0.0, 1.0, promise.last.exit)
    assert promise.last.value == pytest.approx(last.value)
    # The exit term is a mean over the steps of a rising bound: below the last one.
    assert 0 < promise.last.exit < long.bounds.last("local")


def test_the_measured_distance_is_that_of_the_mixture():
    """From the mode with S = 0, X_i is N(0, v_i I): the squared distance over v_i is chi-square, bin shares are exact."""
    config = BOWL.replace(chains=20_000)
    setup = prepare_exits(config, None)
    law = EpochLaw(setup, levels_of(setup, grid_of))
    run = ExitSimulation(setup.target, config.step_size, config.steps, config.radius, chains=20_000)
    for stop in law.stops:
        run.run(until=int(stop))
        law.record(run)
    keep = (1 - config.step_size) ** 2
    variances = 2 * config.step_size * (1 - keep**law.stops) / (1 - keep)
    edges = chi2.ppf(np.linspace(0, 1, 21), 2)
    shares = np.diff(chi2.cdf(edges[None, :] / variances[:, None], 2), axis=1)
    exact = 0.5 * np.abs(np.cumsum(shares, axis=0) / np.arange(1, 41)[:, None] - 0.05).sum(axis=1)
    # 20,000 chains: each share is within 4 sqrt(.05 / 20,000) = 0.006 if bins are equal; at most ten such add up.
    np.testing.assert_allclose(law.distance, exact, atol=0.02)


def test_a_flat_potential_has_no_promise():
    assert compute(PRESETS["printed"].config.replace(chains=400)).promise is None
    assert stops_of(3).tolist() == [1, 2, 3] and stops_of(10_000).size == 40 and stops_of(10_000)[-1] == 10_000


def test_the_caption_lists_terms_and_their_assumptions(long):
    text = result_words.promise_caption(long)
    assert "TV ≤ " in text and "<b>Certified:</b>" in text and "<b>Measured:</b>" not in text and "W₂ = 1.414, exact" in text
    assert "measured" in result_words.promise_spoken(long.promise)
    empty = compute(BOWL.replace(steps=10, chains=200))
    assert empty.promise.last.value == 1.0 and "the start: raise iₘₐₓ" in result_words.promise_caption(empty)
    assert "bound" in result_words.promise_caption(None)
    hot = compute(ExitConfig(radius=8.0, step_size=1.5, dim=2, steps=50, curvature=1.0, chains=400))
    assert "above 1/L" in result_words.promise_caption(hot)


def test_the_start_at_a_distance_is_coupled_by_radius():
    promise = compute(LONG.replace(start="distance", distance=1.2, steps=100, chains=200)).promise
    # E (1.2 - |Y|)^2 for |Y| of two normals: 1.44 - 2.4 sqrt(pi/2) + 2.
    assert promise.wasserstein == pytest.approx(np.sqrt(3.44 - 2.4 * np.sqrt(np.pi / 2)))


def test_the_statements_quote_numbers_of_the_library():
    theorem, text = logistic_theorem(*synthetic_logistic(1000, 20)), statements()
    assert f"spread by 316 (actual: {theorem.spread:.2f})" in text and f"for K ≥ {theorem.needed:.2g}." in text
    assert "from t = 2.9 × 10¹⁴ on" in text
    assert "it states 10<sup>−7,678</sup>; the actual value is 0.045" in text
    assert "total variation of 0.39 from π" in text and "requires 98.8 % of them" in text
