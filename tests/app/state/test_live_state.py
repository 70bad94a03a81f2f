"""Live's state: words for wrong numbers, defaults of a problem, and a loss-free way to a configuration, a link and back."""

import pytest

from app.state.live import RESTARTING, SAMPLER, SWITCHES, LiveConfig, LiveState, default_config


def test_which_settings_restart_a_run():
    config = LiveConfig()
    for name, value in {"problem": "linear2", "stream": "drifting", "algorithm": "preconditioned", "chains": 3, "seed": 5,
                        "forget": True, "user_data": object()}.items():
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
