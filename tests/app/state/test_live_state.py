"""Live's state: numbers as typed, defaults of problems and algorithms, and problems that an algorithm refuses."""


import numpy as np
import pytest

from app.state.live import RESTARTING, SAMPLER, SWITCHES, LiveConfig, LiveState, default_config
from app.state.live_menu import ALGORITHMS, PROBLEMS
from app.state.user_data import OWN, UserData
from sampler import GradientOracle, LinearRegression, PreconditionedSagaLD
from sampler.algorithms import ONLINE_ALGORITHMS


def test_which_settings_restart_a_run():
    config = LiveConfig()
    for name, value in {"problem": "linear2", "stream": "drifting", "algorithm": "preconditioned", "chains": 3, "seed": 5,
                        "forget": True, "user_data": object()}.items():
        assert name in RESTARTING and config.restarts(config.replace(**{name: value}))
    assert not config.restarts(config.replace(escape_radius=3.0, speed=0, rescaled=True, eta0=3.0, reset=False))


def test_the_followed_chain_stays_below_the_number_of_chains():
    state = LiveState.of(LiveConfig(chains=64, follow=40))
    state.chains = 10
    assert state.frozen().follow == 9
    state.follow = None
    assert state.frozen().follow is None


@pytest.mark.parametrize(("name", "typed", "value"), [
    ("eta0", " 0,5 ", 0.5), ("offset", "0", 0.0), ("offset", "0.001", 0.001), ("batch_size", 3.0, 3),
    ("i_max", "1,000", 1000), ("i_max", "1 000", 1000), ("eta0", "0,125", 0.125), ("eta0", "1,5e-1", 0.15),
])
def test_numbers_as_people_type_them(name, typed, value):
    state = LiveState()
    state.put(name, typed)
    assert getattr(state, name) == value and type(getattr(state, name)) is type(value)


@pytest.mark.parametrize("typed", ["5,5,5", "1,2.5", "1,,5", "5 5", "1,000,00", "1.000,5"])
def test_commas_and_spaces_that_group_no_thousands_are_refused(typed):
    state = LiveState()
    with pytest.raises(ValueError, match="not a number"):
        state.put("i_max", typed)
    assert state.i_max == LiveConfig().i_max


def test_a_problem_sets_its_defaults_and_keeps_the_speed():
    state, seen = LiveState(), []
    state.param.update(speed=3, eta0=7.0)
    state.param.watch(lambda *events: seen.append(state.frozen()), state.settable())
    state.problem = "logistic21"
    assert state.frozen() == default_config("logistic21").replace(speed=3, stream="paper")
    assert state.base == default_config("logistic21")
    assert set(seen) == {state.frozen()}, "no watcher sees a problem without its defaults"


def test_reset_to_defaults_changes_the_sampler_only():
    state = LiveState.of(default_config().replace(chains=7, seed=3, escape_radius=5.0))
    state.param.update(eta0=9.0, reset=False)
    assert not state.at_defaults
    state.to_defaults(*SAMPLER, *SWITCHES)
    assert state.at_defaults and state.frozen() == default_config().replace(chains=7, seed=3)


PRECONDITIONED = default_config(algorithm="preconditioned")


def test_the_menu_lists_the_librarys_algorithms():
    assert list(ALGORITHMS) == list(ONLINE_ALGORITHMS) == LiveState.param.algorithm.objects


@pytest.mark.parametrize("problem", ["logistic2", "logistic21", "linear2"])
def test_the_defaults_are_those_that_need_no_tuning(problem):
    config, plain = default_config(problem, algorithm="preconditioned"), default_config(problem)
    wanted = PreconditionedSagaLD.default_settings(PROBLEMS[problem].dim)
    rounded = {name: float(f"{getattr(wanted, name):.2g}") for name in ("eta0", "acceptance_radius")}
    assert config.settings == wanted.replace(offset=plain.offset, **rounded)
    assert (config.escape_radius, config.seed, config.stream) == (plain.escape_radius, plain.seed, plain.stream)


def test_switching_the_algorithm_switches_the_defaults():
    state, seen = LiveState(), []
    state.param.watch(lambda *events: seen.append(state.frozen()), state.settable())
    state.algorithm = "preconditioned"
    assert state.frozen() == PRECONDITIONED == state.base and state.at_defaults
    assert set(seen) == {PRECONDITIONED}, "no watcher sees an algorithm without its defaults"
    state.algorithm = "saga-ld"
    assert state.frozen() == default_config() == state.base


def test_settings_of_the_user_survive_a_switch():
    state = LiveState()
    state.param.update(i_max=111, chains=7, stream="ill_conditioned", speed=3, reset=False)
    state.algorithm = "preconditioned"
    expected = PRECONDITIONED.replace(i_max=111, chains=7, stream="ill_conditioned", speed=3, reset=False)
    assert state.frozen() == expected and not state.at_defaults
    state.algorithm = "saga-ld"
    assert state.frozen() == default_config().replace(i_max=111, chains=7, stream="ill_conditioned", speed=3, reset=False)


FLAT = UserData("flat", LinearRegression(2, prior_precision=0.0), np.eye(2)[np.arange(20) % 2], np.arange(20.0) % 3)


def test_a_supported_problem_keeps_the_algorithm_and_any_other_resets_it():
    state = LiveState(algorithm="preconditioned")
    for problem in ("linear2", "poisson2", "gaussian2"):
        state.problem = problem
        assert state.frozen() == default_config(problem, algorithm="preconditioned")
    assert default_config("poisson2", algorithm="preconditioned").eta0 < PRECONDITIONED.eta0
    state.param.update(problem=OWN, user_data=FLAT)
    assert state.frozen() == default_config(OWN, FLAT)


def test_a_user_gradient_keeps_all_data_and_has_a_note():
    data = UserData("mine", GradientOracle(lambda index, theta: theta, 3, prior_gradient=lambda theta: theta), length=300)
    state = LiveState(user_data=data)
    state.param.update(problem=OWN)
    assert "keeps all data" in state.choice.note
    state.forget = True
    assert not state.forget
    state.problem = "linear2"
    state.forget = True
    assert state.forget
    state.load(default_config(OWN, data).replace(forget=True))
    assert state.problem == OWN and not state.forget


def test_an_unknown_algorithm_has_no_defaults():
    with pytest.raises(ValueError, match="algorithm must be one of saga-ld, preconditioned; got 'hamiltonian'"):
        default_config(algorithm="hamiltonian")


def test_a_link_with_a_problem_without_a_prior_is_reported_and_runs_plain():
    config, (words,) = LiveState.from_query({"algorithm": "preconditioned", "problem": OWN}, FLAT)
    assert "Preconditioned SAGA-LD needs a prior precision above 0 in every coordinate, so flat runs plain SAGA-LD." in words
    assert config == default_config(OWN, FLAT)


def test_a_bare_link_has_the_defaults_of_the_algorithm():
    assert LiveState.from_query({"algorithm": "preconditioned"}) == (PRECONDITIONED, [])
