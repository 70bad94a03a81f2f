"""Live's state: words for wrong numbers, defaults of a problem, and a loss-free way to a configuration, a link and back."""

import math

import pytest

from app.state.live import RESTARTING, SAMPLER, SPEEDS, SWITCHES, LiveConfig, LiveState, default_config
from app.state.problem_menu import PROBLEMS, STREAMS, stream_labels


@pytest.mark.parametrize("problem", list(PROBLEMS))
def test_what_a_problem_opens_with_comes_back_from_the_state_and_from_a_link(problem):
    config = default_config(problem)
    assert LiveState.of(config).frozen() == config == LiveState(problem=problem).frozen()
    assert LiveState.from_query(LiveState.to_query(config)) == (config, [])
    assert list(stream_labels(PROBLEMS[problem].problem.kind).values()) == list(STREAMS)


def test_everything_set_reaches_the_configuration_and_its_settings():
    state = LiveState()
    changes = {"eta0": 2.0, "batch_size": 5, "i_max": 7, "acceptance_radius": 30.0, "offset": 3.0,
               **dict.fromkeys(SWITCHES, False)}
    for name, value in changes.items():
        setattr(state, name, value)
        assert getattr(state.frozen().settings, name) == value
    for name, value in {"escape_radius": 9.0, "chains": 3, "seed": 8, "stream": "outliers", "speed": 2,
                        "rescaled": True, "axes": (1, 0)}.items():
        setattr(state, name, value)
        assert getattr(state.frozen(), name) == value


def test_settings_replace_all_of_the_samplers_knobs():
    settings = default_config("linear2").settings
    assert LiveConfig().replace(settings).settings == settings
    assert LiveConfig().replace(settings, chains=7).chains == 7


def test_which_settings_restart_a_run():
    config = LiveConfig()
    for name, value in {"problem": "linear2", "stream": "drifting", "chains": 3, "seed": 5, "user_data": object()}.items():
        assert name in RESTARTING and config.restarts(config.replace(**{name: value}))
    assert not config.restarts(config.replace(escape_radius=3.0, speed=0, rescaled=True, eta0=3.0, reset=False))


def test_followed_chain_stays_inside_the_chains_there_are():
    state = LiveState.of(LiveConfig(chains=64, follow=40))
    state.chains = 10
    assert state.frozen().follow == 9
    state.follow = None
    assert state.frozen().follow is None


@pytest.mark.parametrize(("name", "typed", "value"), [
    ("eta0", " 0,5 ", 0.5), ("offset", "0", 0.0), ("offset", "0.001", 0.001), ("batch_size", 3.0, 3),
    ("i_max", "1,000", 1000),
])
def test_numbers_as_people_type_them(name, typed, value):
    state = LiveState()
    state.put(name, typed)
    assert getattr(state, name) == value


def test_a_problem_brings_its_own_defaults_and_keeps_the_speed():
    state, seen = LiveState(), []
    state.param.update(speed=3, eta0=7.0)
    state.param.watch(lambda *events: seen.append(state.frozen()), state.settable())
    state.problem = "logistic21"
    assert state.frozen() == default_config("logistic21").replace(speed=3, stream="paper")
    assert state.base == default_config("logistic21")
    assert set(seen) == {state.frozen()}, "no watcher sees a problem without its defaults"


def test_defaults_touch_the_sampler_only():
    state = LiveState.of(default_config().replace(chains=7, seed=3, escape_radius=5.0))
    state.param.update(eta0=9.0, reset=False)
    assert not state.at_defaults
    state.to_defaults(*SAMPLER, *SWITCHES)
    assert state.at_defaults and state.frozen() == default_config().replace(chains=7, seed=3)


def test_every_knob_comes_back_from_a_link():
    config = default_config("logistic21").replace(
        stream="outliers", chains=7, seed=123, escape_radius=3.25, speed=0, follow=None, axes=(4, 20), rescaled=True
    )
    config = config.replace(
        settings=config.settings.replace(eta0=0.0123, batch_size=3, i_max=1, acceptance_radius=5.5, offset=0.5,
                                         variance_reduction=False, reset=False, random_length=False, refresh=False)
    )
    assert LiveState.from_query(LiveState.to_query(config)) == (config, [])
    assert LiveState.from_query(LiveState.to_query(config.replace(axes="principal")))[0].axes == "principal"


NONSENSE = ["", "nan", "inf", "-inf", "1e999", "-5", "0", "DROP TABLE", "é\x00", "9" * 400, "1.5", "None", "[]",
            b"\xff\xfe", [], [b"\xff"], None, True, {"a": 1}]


@pytest.mark.parametrize("value", NONSENSE, ids=repr)
def test_nonsense_is_clamped_in_words_and_never_raises(value):
    for key in [*LiveState.to_query(LiveConfig()), "unknown", ""]:
        config, words = LiveState.from_query({key: value})
        assert all(isinstance(word, str) and word for word in words)
        assert config.problem in PROBLEMS and config.stream in STREAMS
        assert 0 <= config.speed < len(SPEEDS)
        for name, knob in LiveState.knobs().items():
            number = getattr(config, name)
            assert math.isfinite(number) and knob.low <= number <= knob.high, name
        assert config.follow is None or 0 <= config.follow < config.chains


def test_words_name_the_knob_the_range_and_what_was_taken():
    _, words = LiveState.from_query({"b": "0", "problem": "probit", "vr": "maybe", "axes": "1-9", "v": "7"})
    text = "\n".join(words)
    assert "b = '0' must be a whole number from 1 to 256; took 1." in text
    assert "problem = 'probit' is not one of gaussian2" in text
    assert "variance reduction = 'maybe' is neither 1 nor 0; took 1." in text
    assert "axes = '1-9'" in text and "version '7'" in text
    assert len(words) == 5


def test_follow_is_clamped_to_the_chains_there_are():
    config, words = LiveState.from_query({"chains": "8", "follow": "63"})
    assert config.follow == 7 and len(words) == 1
