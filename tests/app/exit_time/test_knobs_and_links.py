"""Knobs, presets and links: what is refused, clamped and reported, and that nothing else changes."""

import pytest

from app.state.exit_time import PRESETS, ExitConfig, ExitState
from tests.app.state.test_links import turn

KNOBS = ExitState.knobs()


def test_the_ball_must_hold_the_start():
    config = ExitConfig(start="distance", distance=2.0, radius=2.5)
    with pytest.raises(ValueError, match="r must be above the start ρ₀ = 2: .* Kept 2.5"):
        turn(ExitState, config, "radius", "1.5")
    with pytest.raises(ValueError, match="ρ₀ must be below r = 2.5: .* Kept 2"):
        turn(ExitState, config, "distance", 3.0)
    assert turn(ExitState, config, "radius", "2.1").radius == 2.1


def test_best_cut_off_by_word_by_slider_and_when_d_outgrows_it():
    config = turn(ExitState, PRESETS["printed"].config, "truncation", "4")
    assert config.cutoff == 4.0
    assert turn(ExitState, config, "truncation", "best").cutoff is None
    assert turn(ExitState, config, "dim", 50).cutoff is None  # sqrt(100) > 4
    assert turn(ExitState, config, "truncation", 0.3).cutoff is None  # the slider's lower end
    assert turn(ExitState, config, "truncation", 1.7).cutoff >= config.least_truncation  # a slider is not refused


def test_what_the_data_fix_leaves_live_when_it_is_turned():
    live = ExitConfig(target="live", start="live", noise=3.0, adopt=True)
    for name, value in (("dim", 5), ("curvature", 2.0)):
        changed = turn(ExitState, live, name, value)
        assert (changed.target, changed.start, changed.adopt) == ("quadratic", "mode", False)
    assert turn(ExitState, live, "radius", 3.0).target == "live"


@pytest.mark.parametrize("key", PRESETS)
def test_presets_are_within_the_limits_and_recognised(key):
    config = PRESETS[key].config
    for name, knob in KNOBS.items():
        value = getattr(config, name)
        assert knob.low <= value <= knob.high and (not knob.whole or value == int(value))
    assert ExitState.preset_of(config.replace(chain=7)) == key
    assert ExitState.preset_of(config.replace(radius=3.3)) == ""


def test_a_preset_in_a_link_adopts_unless_the_link_has_numbers():
    assert ExitState.from_query({"preset": "live"})[0].adopt
    config, _ = ExitState.from_query({"preset": "live", "er": "0.5"})
    assert not config.adopt and config.radius == 0.5 and config.target == "live"
