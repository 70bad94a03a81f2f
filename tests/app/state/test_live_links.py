import math

import pytest

from app.state.live import SPEEDS, LiveConfig, LiveState, default_config
from app.state.problem_menu import PROBLEMS, STREAMS


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_default_comes_back_from_its_link(problem):
    config = default_config(problem)
    assert LiveState.from_query(LiveState.to_query(config)) == (config, [])


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


def test_the_server_hands_over_lists_of_bytes():
    config, words = LiveState.from_query({"eta0": [b"5"], "chains": [b"32"], "seed": ["4", "5"], "b": 3})
    assert not words
    assert (config.settings.eta0, config.chains, config.seed, config.settings.batch_size) == (5.0, 32, 5, 3)


def test_an_empty_link_is_the_default():
    assert LiveState.from_query({}) == (default_config(), [])


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


def test_restarting_fields_are_told_from_live_ones():
    config = LiveConfig()
    assert config.restarts(config.replace(seed=config.seed + 1))
    assert not config.restarts(config.replace(escape_radius=3.0, speed=0, rescaled=True))
