"""Links and knobs of every page: links are read back exactly; invalid values are clamped with a message, never raise."""

from dataclasses import replace

import pytest

from app.state.compare import CompareConfig, CompareState
from app.state.coreset import MODELS, CoresetConfig, CoresetState, RunKey
from app.state.coreset import PRESETS as CORESETS
from app.state.exit_time import PRESETS as EXITS
from app.state.exit_time import ExitConfig, ExitState
from app.state.live import PRESETS as PICTURES
from app.state.live import LiveState, default_config
from app.state.live_menu import PROBLEMS
from app.state.offline import LADDER, OfflineConfig, OfflineState
from app.state.offline_races import LIKELIHOOD, steps_between
from app.state.tune import TuneConfig, TuneState
from sampler.tuning import CellKey

STATES = {"live": LiveState, "exit": ExitState, "compare": CompareState, "coreset": CoresetState, "offline": OfflineState,
          "tune": TuneState}
TUNED = TuneConfig(data="file-abc-x.csv", kind="poisson", response="y", features=("a", "b c"), intercept=False, scale=True,
                   rows=300, eta0=(0.001, 2.0), i_max=(3, 70), batches=(4, 9), acceptance_radius=12.5, chains=32, seed=5,
                   reference="laplace", prune=False, going=True, chosen=CellKey(0.01, 70, 9), plane=9)
BOTH = TUNED.replace(algorithm="both", whitened_eta0=(0.01, 0.5), whitened_radius=25.0,
                     chosen=CellKey(0.01, 70, 9, "preconditioned"))
KNOBS = default_config("logistic21").replace(stream="outliers", chains=7, seed=123, escape_radius=3.25, speed=0, follow=None,
                                             axes=(4, 20), rescaled=True, forget=True)
KNOBS = KNOBS.replace(settings=KNOBS.settings.replace(eta0=0.0123, batch_size=3, i_max=1, acceptance_radius=5.5, offset=0.5,
                                                      variance_reduction=False, reset=False, random_length=False,
                                                      refresh=False))
RACES = OfflineConfig()
RACES = RACES.replace(view=LIKELIHOOD, nll=RACES.nll.replace(average="position", samplers=("uld", "ula"), step_size=1 / 3),
                      w2=RACES.w2.replace(samplers=(), every="auto", n=777).with_batch(50))
MANY = OfflineState.from_query({"otarget": "many", "oaxes": "3-21"})[0]
CONFIGS = {
    "live": [*map(default_config, PROBLEMS), KNOBS, KNOBS.replace(axes="principal"), default_config(
        algorithm="preconditioned").replace(eta0=0.3, acceptance_radius=7.0, stream="outliers")],
    "exit": [*(preset.config for preset in EXITS.values() if not preset.config.adopt),
             ExitConfig(target="live", dim=7, radius=1 / 3, chain=70), ExitConfig(truncation=9.0, noise=0.1, steps=12_345)],
    "compare": [CompareConfig(problem="logistic2", stream="drifting", budget="seconds", seconds=3e-4, axis="t", seed=17,
                              scale="linear", view="tables", table="fixed", steps=3_000, samplers=("saga", "pg"))],
    "coreset": [CoresetConfig(), *(preset.config for preset in CORESETS.values()), *map(CoresetConfig().of_model, MODELS),
                CoresetConfig(optimizers=("untrained",), hot="both", focus="untrained-cold", view="principal", reach=1 / 3)],
    "offline": [RACES, MANY, MANY.replace(ladder=MANY.ladder.replace(axes="principal"))],
    "tune": [TuneConfig(), TUNED, BOTH, replace(TUNED, features=("a ",)), replace(TUNED, features=(" a", "b")),
             TuneConfig(data="paper21", scale=False)]}


def turn(state, config, name, value, **more):
    """Return the configuration after turning knob ``name`` or ``view-name``; check that invalid input changes nothing."""
    page, (view, _, knob) = state.of(config), name.rpartition("-")
    part = page.part(view) if view else page
    for other, setting in more.items():
        setattr(part, other, setting)
    try:
        part.put(knob, value)
    except ValueError:
        assert page.frozen() == config
        raise
    return page.frozen()


@pytest.mark.parametrize(("page", "config"), [(page, config) for page, configs in CONFIGS.items() for config in configs])
def test_a_link_gives_the_same_configuration_back(page, config):
    assert STATES[page].from_query(STATES[page].to_query(config)) == (config, [])
    assert STATES[page].of(config).frozen() == config


NONSENSE = ["", "nan", "inf", "-inf", "1e999", "-5", "0", "DROP TABLE", "é\x00", "9" * 400, "1.5", "None", "[]",
            b"\xff\xfe", [], [b"\xff"], None, True, {"a": 1}]


@pytest.mark.parametrize("page", STATES)
@pytest.mark.parametrize("value", NONSENSE, ids=repr)
def test_an_invalid_value_is_clamped_with_a_message_and_never_raises(page, value):
    taken = set()
    for key in [*STATES[page].to_query(STATES[page].Record()), "unknown", ""]:
        config, words = STATES[page].from_query({key: value})
        assert all(isinstance(word, str) and word for word in words)
        taken.add(config)
    assert all(STATES[page].of(config).frozen() == config for config in taken)  # all within the ranges of the knobs


WRONG = {  # page -> (link, substituted values, message)
    "live": [
        ({"algorithm": "hamiltonian", "eta0": "2"}, {"algorithm": "saga-ld", "eta0": 2.0},
         "algorithm = 'hamiltonian' is not one of saga-ld, preconditioned; took saga-ld."),
        ({"chains": "8", "follow": "63"}, {"follow": 7}, "follow"),
        ({"b": "0"}, {"batch_size": 1}, "b = '0' must be a whole number from 1 to 256; took 1."),
        ({"problem": "probit"}, {"problem": "logistic2"}, "problem = 'probit' is not one of gaussian2"),
        ({"vr": "maybe"}, {"variance_reduction": True}, "variance reduction = 'maybe' is neither 1 nor 0; took 1."),
        ({"axes": "1-9"}, {}, "axes = '1-9'"), ({"v": "7"}, {}, "version '7'"), ({"chains": "2.6"}, {"chains": 3}, "took 3"),
        ({"chains": "-inf"}, {"chains": 1}, "took 1"), ({"chains": "x" * 90}, {"chains": 64}, "…"),
        ({"chains": ""}, {"chains": 64}, "is not a number"), ({"c": "0.0009"}, {"offset": 0.0}, "0 or from 0.001 to 100"),
        ({"c": "1e-300"}, {"offset": 0.0}, "0 or from 0.001 to 100"),
        ({"c": "-1"}, {"offset": 0.0}, "0 or from 0.001 to 100")],
    "exit": [
        ({"ed": "0"}, {"dim": 1}, "d = '0' must be a whole number from 1 to 100; took 1."),
        ({"eeta": b"abc"}, {"step_size": 5e-5}, "η = 'abc' is not a number; took 5e-05."),
        ({"en": ["3", "1e9"]}, {"steps": 100_000}, "took 100,000"),
        ({"estart": "moon"}, {"start": "mode"}, "estart = 'moon' is not one of mode, distance, live"),
        ({"estart": "distance", "erho": "9", "er": "2"}, {"distance": 1.0}, "ρ₀ = 9 must be below r = 2; took 1."),
        ({"eC": "0.5"}, {"truncation": 0.0}, "took the best"), ({"echain": "-3"}, {"chain": None}, "is no chain"),
        ({"preset": "nonsense"}, {"radius": 2.5}, "preset = 'nonsense' is not one of")],
    "compare": [
        ({"cproblem": "banana"}, {}, "cproblem = 'banana'"), ({"cT": "1e99", "cchains": "60"}, {"t": 10_000}, "T = '1e99'"),
        ({"ceta": "hot"}, {}, "not a number"), ({"csamplers": "saga,nuts"}, {"samplers": ("saga",)}, "'nuts'"),
        ({"cx": "money"}, {}, "cx"), ({"csteps": "77"}, {}, "csteps"), ({"cproblem": "coreset"}, {}, "provided no coreset"),
        ({"cT": "10000", "cchains": "4000"}, {}, "T × chains")],
    "coreset": [
        ({"kM": "20000", "kN": "500"}, {"size": 500}, "at most N"),
        ({"kS": "900", "kN": "500", "kM": "100"}, {"subsample": 500}, "at most N"),
        ({"kK": "1"}, {"chains": 2}, "from 2 to 32"), ({"kT": "x"}, {"iterations": 50_000}, "not a number"),
        ({"kr": "inf"}, {"reach": CoresetState.param.reach.high}, "must be from"),
        ({"kmodel": "cubist"}, {"model": "gaussian"}, "not one of"),
        ({"kopt": "hot_dog,lion"}, {"optimizers": ("hot_dog",)}, "left it out"),
        ({"kopt": ""}, {"optimizers": ("hot_dog",)}, "names no optimizer"),
        ({"kdata": "file"}, {"data": "generated"}, "cannot hold"), ({"khot": "luke"}, {"hot": "on"}, "not one"),
        ({"kmodel": "bradley_terry", "kd": "1"}, {"dim": 2}, "2 teams"),
        ({"kT": "200000", "kopt": "hot_dog,dog,dowg,prodigy,untrained", "khot": "both", "kd": "60"},
         {"iterations": 10_000}, "too much memory")],
    "offline": [
        ({"oview": "tower"}, {"view": LADDER}, "oview = 'tower' is not one of ladder, w2, nll; took ladder."),
        ({"ogn": "1e9"}, {}, "n = '1e9' must be a whole number from 50 to 50,000; took 50,000."),
        ({"ogB": "900"}, {}, "B = 900 must be at most n = 500; took n, which is SVRG-LD."),
        ({"ogk": "3"}, {}, "K = 3 must be 20 or more"),
        ({"oaxes": "0-9"}, {}, "oaxes = '0-9' must be two different coordinates"),
        ({"ofon": "sgld,hmc"}, {}, "'hmc' is not one of"), ({"oeta": "nan"}, {}, "η₀ = 'nan' is not a number; took 1.")],
    "tune": [
        ({"tdata": "nonsense"}, {"data": "logistic2"}, "not one of the streams"),
        ({"tchains": "1e9"}, {"chains": 1024}, "must be"), ({"tchains": "many"}, {"chains": 64}, "not a number"),
        ({"teta": "5"}, {"eta0": None}, "smallest,largest"), ({"teta": "3,1"}, {"eta0": None}, "smallest,largest"),
        ({"teta": "1e-9,5e9"}, {"eta0": TuneState.param.eta0.bounds}, "must be from"),
        ({"timax": "0.5,9"}, {"i_max": (1, 9)}, "must be"), ({"tb": "9,-3,x"}, {"batches": (9,)}, "whole numbers"),
        ({"tb": "0"}, {"batches": None}, "took the advised"), ({"tref": "magic"}, {"reference": "auto"}, "not one of"),
        ({"tcell": "1,2"}, {"chosen": None}, "eta0,i_max,b"),
        ({"tcell": "1,2,3,newton"}, {"chosen": None}, "eta0,i_max,b,algorithm"),
        ({"talg": "newton"}, {"algorithm": "saga-ld"}, "not one of"),
        ({"tweta": "0.1,50"}, {"whitened_eta0": (0.1, 2.0)}, "must be from"),
        ({"tprune": "perhaps"}, {"prune": True}, "neither 1 nor 0"), ({"tkind": "gamma"}, {"kind": ""}, "not one of")]}


@pytest.mark.parametrize(("page", "query", "taken", "words"), [(page, *row) for page in WRONG for row in WRONG[page]])
def test_an_invalid_link_is_corrected_with_a_message(page, query, taken, words):
    config, notes = STATES[page].from_query(query)
    assert len(notes) == 1 and words in notes[0], notes
    assert {name: getattr(config, name) for name in taken} == taken
    assert STATES[page].from_query(STATES[page].to_query(config)) == (config, [])


@pytest.mark.parametrize(("query", "taken"), [
    ({"chains": b"12"}, {"chains": 12}), ({"chains": ["3", "9"]}, {"chains": 9}), ({"c": "0.001"}, {"offset": 0.001}),
    ({"c": "0"}, {"offset": 0.0}), *(({"eta0": str(eta0)}, {"eta0": eta0}) for eta0 in (0.1, 1 / 3, 1e-3))])
def test_a_valid_number_of_a_link_is_read_exactly(query, taken):
    config, notes = LiveState.from_query(query)
    assert notes == [] and {name: getattr(config, name) for name in taken} == taken


@pytest.mark.parametrize("query", [{}, None, {"oT": ["", b"32"]}, {"ogon": "none"}, {"other": "1"}])
def test_a_valid_link_has_no_message(query):
    config, notes = OfflineState.from_query(query)
    assert notes == [] and config.view == LADDER
    assert (config.ladder.terms == 32) == bool(query and "oT" in query)
    assert (config.w2.samplers == ()) == bool(query and "ogon" in query)


REFUSED = {  # page -> configuration, (knob, input, message)
    "exit": (EXITS["printed"].config, [
        ("dim", "2.5", "d must be a whole number from 1 to 100. Kept 2."),
        ("dim", 2.5, "d must be a whole number from 1 to 100. Kept 2."), ("radius", "nan", "“nan” is not a number"),
        ("radius", "abc", "“abc” is not a number. Kept 2.5."), ("noise", "-1", "S must be from 0"),
        ("truncation", "1", "Cξ must be √(2d) = 2 or more, or best. Kept best.")]),
    "coreset": (CoresetConfig(), [
        ("chains", "1", "covariance over chains"), ("chains", "0", "covariance over chains"),
        ("size", "20000", "a coreset is a part of the data"), ("subsample", "10001", "without replacement"),
        ("iterations", "12.5", "whole number"), ("reach", "-1", "must be from"), ("seed", "x", "not a number")]),
    "compare": (CompareConfig(chains=4_000, t=200), [("t", "10000", "T × chains must be at most")]),
    "offline": (OfflineConfig(), [
        ("w2-anchor_every", "0", "m must be a whole number from 1 to 500,000. Kept 100."),
        ("w2-anchor_batch", "501", "B must be at most n = 500, the number of data; B = n is SVRG-LD. Kept 100."),
        ("nll-anchor_batch", "3001", "B must be at most n = 3,000"), ("w2-chains", "5", "K must be 20 or more"),
        ("ladder-i_max", "10.5", "whole number from 10 to 20,000")])}


@pytest.mark.parametrize(("page", "name", "typed", "words"), [(page, *row) for page in REFUSED for row in REFUSED[page][1]])
def test_an_invalid_number_is_refused_with_a_message_and_changes_nothing(page, name, typed, words):
    with pytest.raises(ValueError) as wrong:
        turn(STATES[page], REFUSED[page][0], name, typed)
    assert words in str(wrong.value) and "Kept" in str(wrong.value)


def test_the_rows_of_a_file_limit_b():
    assert turn(OfflineState, OfflineConfig(), "nll-anchor_batch", "4000", rows=6000).nll.anchor_batch == 4000
    with pytest.raises(ValueError, match="at most n = 384"):
        turn(OfflineState, OfflineConfig(), "nll-anchor_batch", "600", rows=384)
    slid = turn(OfflineState, OfflineConfig(), "nll-anchor_batch", 600.0, rows=384)
    assert slid.nll.anchor_batch == 384  # a slider is not refused


def test_b_keeps_its_share_when_n_changes_and_m_follows_b_until_it_is_set():
    config = turn(OfflineState, OfflineConfig(), "w2-n", 5000.0)
    assert config.w2.anchor_batch == 1000 == config.w2.anchor_every == steps_between(1000, 1)
    own = turn(OfflineState, config, "w2-anchor_every", "7")
    assert own.w2.anchor_every == 7 == turn(OfflineState, own, "w2-batch_size", "10").w2.own_every
    open_ = turn(OfflineState, config, "w2-batch_size", "10").w2
    assert open_.own_every is None and open_.anchor_every == 100
    assert turn(OfflineState, config, "w2-step_size", "0.01").w2.step == "common"


@pytest.mark.parametrize(("page", "key", "look", "change"), [
    *(("live", key, {"follow": 3, "speed": 1, "rescaled": True}, {"seed": 5}) for key in PICTURES),
    *(("exit", key, {"chain": 7}, {"radius": 3.3}) for key in EXITS),
    *(("coreset", key, {"view": "principal"}, {"seed": 5}) for key in CORESETS)])
def test_a_preset_is_within_the_limits_and_recognised_in_any_view(page, key, look, change):
    state, config = STATES[page], {"live": PICTURES, "exit": EXITS, "coreset": CORESETS}[page][key].config
    assert state.of(config).frozen() == config and state.preset_of(config.replace(**look)) == key
    assert state.preset_of(config.replace(**change)) == ""
    assert page == "live" or state.from_query({state.preset_key: key}) == (config, [])  # Live writes it out


def test_a_preset_in_a_link_adopts_unless_the_link_has_numbers():
    assert ExitState.from_query({"preset": "live"})[0].adopt
    config, _ = ExitState.from_query({"preset": "live", "er": "0.5"})
    assert not config.adopt and config.radius == 0.5 and config.target == "live"


def test_the_ball_must_contain_the_start():
    config = ExitConfig(start="distance", distance=2.0, radius=2.5)
    with pytest.raises(ValueError, match="r must be above the start ρ₀ = 2: .* Kept 2.5"):
        turn(ExitState, config, "radius", "1.5")
    with pytest.raises(ValueError, match="ρ₀ must be below r = 2.5: .* Kept 2"):
        turn(ExitState, config, "distance", 3.0)
    assert turn(ExitState, config, "radius", "2.1").radius == 2.1


def test_the_best_cut_off_is_set_by_keyword_by_slider_and_if_d_exceeds_it():
    config = turn(ExitState, EXITS["printed"].config, "truncation", "4")
    assert config.cutoff == 4.0
    assert turn(ExitState, config, "truncation", "best").cutoff is None
    assert turn(ExitState, config, "dim", 50).cutoff is None  # sqrt(100) > 4
    assert turn(ExitState, config, "truncation", 0.3).cutoff is None  # the slider's lower end
    assert turn(ExitState, config, "truncation", 1.7).cutoff >= config.least_truncation  # a slider is not refused


def test_turning_a_knob_that_the_data_fix_leaves_the_target_of_live():
    live = ExitConfig(target="live", start="live", noise=3.0, adopt=True)
    for name, value in (("dim", 5), ("curvature", 2.0)):
        changed = turn(ExitState, live, name, value)
        assert (changed.target, changed.start, changed.adopt) == ("quadratic", "mode", False)
    assert turn(ExitState, live, "radius", 3.0).target == "live"


def test_an_unknown_run_in_a_link_is_ignored():
    config, _ = CoresetState.from_query({"kshow": "<script>alert(1)</script>"})
    assert config.shown == RunKey("hot_dog", True)


def test_sliders_stay_within_the_limits():
    config = CoresetConfig(n=300, size=200)

    def put(name, value, **changes):
        state = CoresetState.of(config.replace(**changes))
        state.put(name, value)
        return state.frozen()

    assert put("size", 5000.0).size == 300
    assert put("n", 100.0).size == 100
    assert put("subsample", "M").drawn == 200
    assert put("dim", 1.0, model="bradley_terry").dim == 2


def test_runs_that_exceed_the_memory_are_refused():
    config = CoresetConfig(iterations=200_000, dim=60)
    with pytest.raises(ValueError, match="GB; switch some off"):
        CoresetState.of(config).choose("hot", "both")
    state = CoresetState.of(config)
    state.choose("optimizers", ("dog",))
    assert state.frozen().keys == (RunKey("dog", True),)
    with pytest.raises(ValueError, match="must stay on"):
        state.choose("optimizers", ())
