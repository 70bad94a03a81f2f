"""The configuration of the Coreset page: knobs, links, what is refused and in which words."""


import pytest

from app.state.coreset import PRESETS, CoresetConfig, CoresetState, RunKey


def test_a_preset_in_a_link():
    assert CoresetState.from_query({"kpreset": "far"}) == (PRESETS["far"].config, [])
    assert CoresetState.preset_of(PRESETS["blind"].config) == "blind" and CoresetState.preset_of(CoresetConfig(seed=5)) == ""


def test_an_unknown_run_in_a_link_is_ignored():
    config, _ = CoresetState.from_query({"kshow": "<script>alert(1)</script>"})
    assert config.shown == RunKey("hot_dog", True)


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
