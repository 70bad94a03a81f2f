"""Handover of a Live run, and the exit-time result, price and good events computed from it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from app.exit_time.job import live_or_default, run_exits
from app.exit_time.promise import good_events
from app.exit_time.result_words import batches
from app.exit_time.target_and_start import default_handover, prepare_exits
from app.exit_time.theory_price import price
from app.live.run_handover import hand_over
from app.state.exit_time import PRESETS, ExitConfig
from app.state.live import default_config
from tests.app.exit_time.test_results import Recorder
from tests.app.jobs.waiting import finish


@pytest.fixture(scope="module")
def state():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.exit_time.target_and_start.EPOCH", 100)
        return default_handover(Recorder())


def test_the_default_is_run_once_and_only_without_a_handover(state, monkeypatch):
    assert state.t == 100 and state.fresh
    monkeypatch.setattr("app.exit_time.target_and_start.EPOCH", 8)
    handle = Recorder()
    first = live_or_default(None, handle)
    assert live_or_default(None, handle) is first and len(handle.published) == 1
    assert first.t == 8 and first.fresh
    assert live_or_default(state, handle) is state
    handle.stopped, handle.kept = True, {}
    assert live_or_default(None, handle) is None


def test_a_live_run_is_handed_over_at_the_end_of_an_epoch(make):
    run = make(default_config(), 20)
    run.go(1)
    left = hand_over(run)
    assert left.t == 21 and run.state.done and not left.fresh
    assert left.features.shape == (21, 2) and left.positions.shape == (64, 2)
    np.testing.assert_allclose(left.mode, run.state.tracker.mode)
    assert 0 < left.variance_max <= left.variance_trace <= left.increment_bound**2
    assert hand_over(make()) is None  # before the first epoch


def test_good_events_follow_the_run_and_forget_a_rewound_future(make):
    run = make(default_config(), 70, escape_radius=6.0)
    first, epochs, distances = run.good.until(70)
    assert list(epochs) == [1, 2, 4, 8, 16, 32, 64] and distances.shape == (7, 64)
    assert (first > 0).any()
    again, epochs, _ = run.good.until(10)
    assert again.max() <= 10 and list(epochs) == [1, 2, 4, 8]
    run.good.truncate(10)
    np.testing.assert_array_equal(run.good.until(70)[0], again)
    assert run.history.count("exits", 70, 100) >= (first > 0).sum()


def test_the_preset_takes_all_settings_from_live(state):
    setup = prepare_exits(PRESETS["live"].config, state)
    config = setup.config
    assert (config.dim, config.steps, config.adopt) == (2, state.settings.i_max, False)
    assert config.radius == pytest.approx(state.escape_distance, rel=1e-3)
    assert config.step_size == pytest.approx(state.step_size, rel=1e-3)
    assert config.noise == pytest.approx(math.sqrt(state.variance_trace), rel=1e-3)
    assert 0 < setup.curvature < np.linalg.eigvalsh(state.hessian)[0]  # certified over the ball: less than at the mode
    assert setup.weights.sum() == pytest.approx(1.0)
    assert setup.distances[-1] == pytest.approx(np.linalg.norm(setup.start, axis=1).max())
    result = finish(run_exits, PRESETS["live"].config.replace(chains=500), state).value
    assert result.bounds.batch <= result.bounds.loose  # Bennett against Hoeffding with S = B
    caption = batches(result)
    assert "Certified" in caption and "Measured" in caption and f"on {state.visited} states" in caption


def test_a_state_unusable_for_the_target_is_noted(state):
    setup = prepare_exits(ExitConfig(start="live", dim=5, chains=100), state)
    assert setup.config.start == "mode" and "Live's chains have d = 2, these d = 5" in setup.notes[0]
    outside = replace(state, positions=state.mode + np.array([[0.1, 0.0], [9.0, 0.0]]))
    setup = prepare_exits(ExitConfig(start="live", target="live", radius=1.0, chains=100), outside)
    assert "1 of Live's 2 chains is outside" in setup.notes[0] and setup.start.shape == (100, 2)
    gone = replace(state, positions=state.mode + np.full((3, 2), 9.0))
    setup = prepare_exits(ExitConfig(start="live", target="live", radius=1.0, chains=100), gone)
    assert setup.start == 0.0 and "All chains of Live are outside" in setup.notes[0]


@pytest.mark.parametrize("problem", ["gaussian2", "linear2", "poisson2"])
def test_other_problems_of_live_are_quadratics(make, problem):
    left = hand_over(make(default_config(problem), 40))
    setup = prepare_exits(PRESETS["live"].config, left)
    values = np.linalg.eigvalsh(left.hessian)
    assert setup.curvature == pytest.approx(values[0]) and setup.smoothness == pytest.approx(values[-1])
    np.testing.assert_allclose(np.linalg.norm(setup.start[:64], axis=1)[:5],
                               np.linalg.norm(left.positions - left.mode, axis=1)[:5])
    assert any("Poisson" in note for note in setup.notes) == (problem == "poisson2")
    if problem == "poisson2":
        with pytest.raises(ValueError, match="no finite smoothness"):
            price(left)


def test_the_price_of_theory(state):
    paper = price(None)
    rows = {symbol: (theory, hand) for symbol, _, theory, hand, _ in paper.rows}
    assert rows["η<sub>0</sub>"] == ("1.4 × 10⁻¹²", "0.1")
    assert rows["i<sub>max</sub>"] == ("2.0 × 10²⁰", "1,000")
    assert paper.verdict.startswith("17 orders of magnitude")
    measured = price(state)
    assert f"T = t = {state.t:,}" in measured.source and int(measured.verdict[:2]) > 10


def test_texts_of_the_good_events(state):
    events = good_events(state)
    assert events.escape[0] >= events.escape[-1] and (np.diff(events.escape) <= 0).all()
    assert events.escape[-1] == pytest.approx((state.first_exit == 0).mean())
    assert (np.diff(events.reset) <= 0).all() and "eq. 42" in events.words and "eq. 43" in events.words
    tight = replace(state, settings=state.settings.replace(acceptance_radius=2.5))
    assert good_events(tight).reset is None and "it is not" in good_events(tight).words
    assert "plain SAGA-LD’s default" in good_events(replace(state, preconditioned=True)).words
    assert "plain" not in events.words
