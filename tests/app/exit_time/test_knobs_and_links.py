"""Knobs, presets and links: what is refused, clamped and reported, and that nothing else changes."""

import numpy as np
import pytest

from app.state.exit_time import PRESETS, ExitConfig, ExitState

KNOBS = ExitState.knobs()


def turn(config, name, value):
    """Return the configuration with one knob turned."""
    state = ExitState.of(config)
    try:
        state.put(name, value)
    except ValueError:
        assert state.frozen() == config  # bad input never changes state
        raise
    return state.frozen()


@pytest.mark.parametrize(("name", "value", "words"), [
    ("dim", "2.5", "d must be a whole number from 1 to 100. Kept 2."),
    ("radius", "abc", "“abc” is not a number. Kept 2.5."), ("noise", "-1", "S must be from 0"),
    ("truncation", "1", "Cξ must be √(2d) = 2 or more, or best. Kept best."),
])
def test_a_wrong_number_is_refused_in_words(name, value, words):
    with pytest.raises(ValueError) as wrong:
        turn(PRESETS["printed"].config, name, value)
    assert words in str(wrong.value)


def test_the_ball_must_hold_the_start():
    config = ExitConfig(start="distance", distance=2.0, radius=2.5)
    with pytest.raises(ValueError, match="r must be above the start ρ₀ = 2: .* Kept 2.5"):
        turn(config, "radius", "1.5")
    with pytest.raises(ValueError, match="ρ₀ must be below r = 2.5: .* Kept 2"):
        turn(config, "distance", 3.0)
    assert turn(config, "radius", "2.1").radius == 2.1


def test_best_cut_off_by_word_by_slider_and_when_d_outgrows_it():
    config = turn(PRESETS["printed"].config, "truncation", "4")
    assert config.cutoff == 4.0
    assert turn(config, "truncation", "best").cutoff is None
    assert turn(config, "dim", 50).cutoff is None  # sqrt(100) > 4
    assert turn(config, "truncation", 0.3).cutoff is None  # the slider's lower end
    assert turn(config, "truncation", 1.7).cutoff >= config.least_truncation  # a slider is not refused


def test_what_the_data_fix_leaves_live_when_it_is_turned():
    live = ExitConfig(target="live", start="live", noise=3.0, adopt=True)
    for name, value in (("dim", 5), ("curvature", 2.0)):
        changed = turn(live, name, value)
        assert (changed.target, changed.start, changed.adopt) == ("quadratic", "mode", False)
    assert turn(live, "radius", 3.0).target == "live"


@pytest.mark.parametrize("key", PRESETS)
def test_presets_are_within_the_limits_and_recognised(key):
    config = PRESETS[key].config
    for name, knob in KNOBS.items():
        value = getattr(config, name)
        assert knob.low <= value <= knob.high and (not knob.whole or value == int(value))
    assert ExitState.preset_of(config.replace(chain=7)) == key
    assert ExitState.preset_of(config.replace(radius=3.3)) == ""


def test_links_give_the_same_configuration_back():
    rng = np.random.default_rng(3)
    for _ in range(30):
        values = {name: (int if knob.whole else float)(rng.uniform(*knob.bounds)) for name, knob in KNOBS.items()}
        config = ExitConfig(**values, target=str(rng.choice(["quadratic", "live"])), start="mode",
                            chain=None if rng.random() < 0.5 else int(rng.integers(80)))
        if 0 < config.truncation < config.least_truncation:
            config = config.replace(truncation=0.0)
        assert ExitState.from_query(ExitState.to_query(config)) == (config, [])


@pytest.mark.parametrize(("query", "field", "value", "words"), [
    ({"ed": "0"}, "dim", 1, "d = '0' must be a whole number from 1 to 100; took 1."),
    ({"eeta": b"abc"}, "step_size", 5e-5, "η = 'abc' is not a number; took 5e-05."),
    ({"en": ["3", "1e9"]}, "steps", 100_000, "took 100,000"),
    ({"estart": "moon"}, "start", "mode", "estart = 'moon' is not one of mode, distance, live"),
    ({"estart": "distance", "erho": "9", "er": "2"}, "distance", 1.0, "ρ₀ = 9 must be below r = 2; took 1."),
    ({"eC": "0.5"}, "truncation", 0.0, "took the best"),
    ({"echain": "-3"}, "chain", None, "is no chain"),
    ({"preset": "nonsense"}, "radius", 2.5, "preset = 'nonsense' is not one of"),
])
def test_nonsense_in_a_link_is_clamped_with_words(query, field, value, words):
    config, notes = ExitState.from_query(query)
    assert getattr(config, field) == value
    assert len(notes) == 1 and words in notes[0]


def test_a_preset_in_a_link_adopts_unless_the_link_has_numbers():
    assert ExitState.from_query({"preset": "live"})[0].adopt
    config, _ = ExitState.from_query({"preset": "live", "er": "0.5"})
    assert not config.adopt and config.radius == 0.5 and config.target == "live"
