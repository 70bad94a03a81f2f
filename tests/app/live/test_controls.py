"""The knobs: bounds, words for wrong numbers, and a loss-free way to a configuration and back."""

import pytest

from app.live.config import LIMITS, LiveConfig
from app.live.controls import Controls
from app.live.knobs import KNOBS, SWITCHES
from app.live.presets import PROBLEMS, default_config


def test_every_knob_has_limits_and_words():
    assert set(KNOBS) == set(LIMITS)
    for name, spec in KNOBS.items():
        low, high = spec.limits
        assert low < high and spec.words and spec.help.endswith(".")
        assert Controls.param[name].bounds == (low, high)


@pytest.mark.parametrize("problem", list(PROBLEMS))
def test_configuration_there_and_back(problem):
    config = default_config(problem)
    assert Controls.of(config).config() == config


def test_every_control_reaches_the_configuration():
    controls = Controls()
    before = controls.config()
    changes = {"eta0": 2.0, "batch_size": 5, "i_max": 7, "acceptance_radius": 30.0, "offset": 3.0,
               **dict.fromkeys(SWITCHES, False)}
    for name, value in changes.items():
        controls.param.update(**{name: value})
        assert getattr(controls.config().settings, name) == value
    for name, value in {"escape_radius": 9.0, "chains": 3, "seed": 8, "stream": "outliers", "speed": 2,
                        "rescaled": True, "axes": (1, 0)}.items():
        controls.param.update(**{name: value})
        assert getattr(controls.config(), name) == value
    assert controls.config() != before


def test_followed_chain_stays_inside_the_chains_there_are():
    controls = Controls.of(LiveConfig(chains=64, follow=40))
    controls.chains = 10
    assert controls.config().follow == 9
    controls.follow = None
    assert controls.config().follow is None


@pytest.mark.parametrize(("name", "given", "value"), [
    ("eta0", "2", 2.0), ("eta0", " 0,5 ", 0.5), ("eta0", "1e-2", 0.01), ("offset", "0", 0.0),
    ("batch_size", "12", 12), ("batch_size", 3.0, 3), ("i_max", "1,000", 1000),
])
def test_numbers_as_people_type_them(name, given, value):
    controls = Controls()
    controls.put(name, given)
    assert getattr(controls, name) == value


@pytest.mark.parametrize(("name", "given", "words"), [
    ("eta0", "banana", "is not a number"), ("eta0", "", "is not a number"), ("eta0", "nan", "is not a number"),
    ("eta0", "inf", "is not a number"), ("eta0", "0", "from 0.001 to 30"), ("eta0", "-1", "from 0.001 to 30"),
    ("batch_size", "2.5", "whole number from 1 to 256"), ("i_max", "1e9", "from 1 to 2,000"),
    ("chains", "513", "from 1 to 512"), ("seed", "-1", "from 0 to 999,999"),
])
def test_wrong_numbers_are_answered_and_change_nothing(name, given, words):
    controls = Controls()
    before = controls.config()
    with pytest.raises(ValueError, match=words) as caught:
        controls.put(name, given)
    assert f"Kept {getattr(controls, name):g}" in str(caught.value)
    assert controls.config() == before


def test_a_problem_brings_its_own_defaults_and_keeps_the_speed():
    controls = Controls()
    controls.param.update(speed=3, eta0=7.0)
    controls.choose_problem("logistic21")
    assert controls.config() == default_config("logistic21").replace(speed=3, stream="paper")


def test_defaults_touch_the_sampler_only():
    controls = Controls.of(default_config().replace(chains=7, seed=3, escape_radius=5.0))
    controls.param.update(eta0=9.0, reset=False)
    controls.to_defaults()
    assert controls.config() == default_config().replace(chains=7, seed=3)
