"""The configuration of the Coreset page: knobs, links, what is refused and in which words."""


import pytest

from app.state.coreset import MODELS, PRESETS, CoresetConfig, CoresetState, RunKey


@pytest.mark.parametrize("config", [
    CoresetConfig(), *(preset.config for preset in PRESETS.values()),
    *(CoresetConfig().of_model(key) for key in MODELS),
    CoresetConfig(optimizers=("untrained", ), hot="both", focus="untrained-cold", view="principal", reach=1 / 3),
])
def test_a_link_gives_the_same_configuration_back(config):
    again, words = CoresetState.from_query(CoresetState.to_query(config))
    assert again == config and words == []


def test_a_preset_in_a_link():
    assert CoresetState.from_query({"kpreset": "far"}) == (PRESETS["far"].config, [])
    assert CoresetState.preset_of(PRESETS["blind"].config) == "blind" and CoresetState.preset_of(CoresetConfig(seed=5)) == ""


@pytest.mark.parametrize(("query", "field", "value", "part"), [
    ({"kM": "20000", "kN": "500"}, "size", 500, "at most N"),
    ({"kS": "900", "kN": "500", "kM": "100"}, "subsample", 500, "at most N"),
    ({"kK": "1"}, "chains", 2, "from 2 to 32"),
    ({"kT": "nonsense"}, "iterations", 50_000, "not a number"),
    ({"kr": "inf"}, "reach", CoresetState.param.reach.high, "must be from"),
    ({"kmodel": "cubist"}, "model", "gaussian", "not one of"),
    ({"kopt": "hot_dog,lion"}, "optimizers", ("hot_dog",), "left it out"),
    ({"kopt": ""}, "optimizers", ("hot_dog",), "names no optimizer"),
    ({"kdata": "file"}, "data", "generated", "cannot hold"),
    ({"khot": "luke"}, "hot", "on", "not one of"),
    ({"kmodel": "bradley_terry", "kd": "1"}, "dim", 2, "2 teams"),
    ({"kT": "200000", "kopt": "hot_dog,dog,dowg,prodigy,untrained", "khot": "both", "kd": "60"}, "iterations", 10_000,
     "too much memory"),
])
def test_nonsense_in_a_link_is_clamped_and_reported(query, field, value, part):
    config, words = CoresetState.from_query(query)
    assert getattr(config, field) == value
    assert any(part in sentence for sentence in words)


def test_an_unknown_run_in_a_link_is_ignored():
    config, _ = CoresetState.from_query({"kshow": "<script>alert(1)</script>"})
    assert config.shown == RunKey("hot_dog", True)


@pytest.mark.parametrize(("name", "value", "reason"), [
    ("chains", "1", "covariance over chains"), ("chains", "0", "covariance over chains"),
    ("size", "20000", "a coreset is a part of the data"), ("subsample", "10001", "without replacement"),
    ("iterations", "12.5", "whole number"), ("reach", "-1", "must be from"), ("seed", "x", "not a number"),
])
def test_a_wrong_number_is_refused_in_words(name, value, reason):
    state = CoresetState()
    with pytest.raises(ValueError, match=reason) as wrong:
        state.put(name, value)
    assert "Kept" in str(wrong.value) and state.frozen() == CoresetConfig()


def test_sliding_stays_inside_what_is_allowed():
    config = CoresetConfig(n=300, size=200)

    def put(name, value, **changes):
        state = CoresetState.of(config.replace(**changes))
        state.put(name, value)
        return state.frozen()

    assert put("size", 5000.0).size == 300
    assert put("n", 100.0).size == 100
    assert put("subsample", "M").drawn == 200
    assert put("dim", 1.0, model="bradley_terry").dim == 2


def test_runs_that_would_not_fit_into_memory_are_refused():
    config = CoresetConfig(iterations=200_000, dim=60)
    with pytest.raises(ValueError, match="GB; switch some off"):
        CoresetState.of(config).choose("hot", "both")
    state = CoresetState.of(config)
    state.choose("optimizers", ("dog",))
    assert state.frozen().keys == (RunKey("dog", True),)
    with pytest.raises(ValueError, match="must stay on"):
        state.choose("optimizers", ())


def test_another_model_comes_at_its_shape_in_the_paper():
    config = CoresetConfig(seed=3, hot="both").of_model("poisson")
    assert (config.n, config.dim, config.seed, config.hot) == (15_641, 8, 3, "both")
