"""The Tune page's state: ranges left to the advisor, links, and values out of range."""

import pytest

from app.state.tune import STREAMS, TuneConfig, TuneState
from app.tune.tuning_rows import EXAMPLES
from tests.app.state.test_links import BOTH, TUNED


def test_both_algorithms_have_the_same_costs_and_separate_step_sizes():
    plain, whitened = BOTH.grids
    assert (plain.algorithm, whitened.algorithm) == ("saga-ld", "preconditioned") == BOTH.algorithms
    assert (plain.i_max, plain.batch_size) == (whitened.i_max, whitened.batch_size)
    assert (plain.eta0[-1], whitened.eta0[-1]) == (2.0, 0.5)
    assert (plain.acceptance_radius, whitened.acceptance_radius) == ((12.5,), (25.0,))
    assert BOTH.cells == len(plain.cells) + len(whitened.cells) and BOTH.settled
    assert not BOTH.replace(whitened_eta0=None).settled and BOTH.replace(whitened_eta0=None, algorithm="saga-ld").settled


def test_another_algorithm_resets_advised_values():
    state = TuneState.of(TUNED, base=TUNED.replace(batches=(9,)))
    state.choose("algorithm", "both")
    assert (state.algorithm, state.i_max, state.batches, state.chosen) == ("both", None, (4, 9), None)
    state.choose("data", "linear2")
    assert state.algorithm == "both" and state.whitened_eta0 is None and state.whitened_radius is None


def test_values_between_the_ends():
    config = TuneConfig(eta0=(1 / 30, 30.0), i_max=(5, 800), batches=(9,), acceptance_radius=22.0)
    etas = config.etas_of("saga-ld")
    assert len(etas) == 13 and etas[0] == 0.0333 and etas[-1] == 30.0 and 1.0 in etas
    assert config.lengths == (5, 10, 20, 30, 60, 120, 250, 400, 800)
    assert config.cells == 117 == len(config.grids[0].cells)
    assert not config.settled and TuneConfig(eta0=(1.0, 1.0), i_max=(7, 7)).etas_of("saga-ld") == (1.0,)
    assert TuneConfig(i_max=(7, 7)).lengths == (7,)


def test_the_streams_of_the_menu_exist():
    assert tuple(EXAMPLES) == STREAMS


def test_keys_of_links_never_change():
    assert TuneState.to_query(TUNED) == {
        "tdata": "file-abc-x.csv", "tkind": "poisson", "ty": "y", "tx": "a|b c", "tones": "0", "tscale": "1", "tT": "300",
        "teta": "0.001,2", "timax": "3,70", "tb": "4,9", "tC": "12.5", "tchains": "32", "tseed": "5", "tref": "laplace",
        "tprune": "0", "tgo": "1", "tcell": "0.01,70,9", "tplane": "9", "talg": "saga-ld", "tweta": "", "twC": "",
        "tpos": ""}
    assert TuneState.to_query(BOTH) == {**TuneState.to_query(TUNED), "talg": "both", "tweta": "0.01,0.5", "twC": "25",
                                        "tcell": "0.01,70,9,preconditioned"}


def test_no_sweep_starts_without_a_request():
    assert not TuneState.from_query({})[0].going and not TuneState.from_query({"tdata": "file-a-b.csv"})[0].going
    assert TuneState.from_query({"tgo": "1"})[0].going


def test_knobs_set_values_and_ranges():
    state = TuneState.of(TUNED.replace(batches=(9,), plane=None))
    state.put("chains", "128")
    state.put_range("eta0", "1/30", 30)
    state.put_range("i_max", 5, 5)
    assert (state.chains, state.eta0, state.i_max, state.chosen) == (128, (1 / 30, 30.0), (5, 5), None)
    state.add_batch(4)
    assert state.batches == (4, 9) and state.plane == 4
    state.add_batch(9)
    assert state.batches == (4, 9)
    state.remove_batch(9)
    state.remove_batch(4)  # the last one stays
    assert state.batches == (4,)


def test_other_data_reset_every_range_to_the_advice():
    state = TuneState.of(TUNED)
    state.choose("kind", "linear")
    assert state.kind == "linear" and state.response == "y" and not state.frozen().settled and not state.going
    state.choose("data", "paper21")
    assert state.frozen() == TuneConfig(data="paper21", seed=5, reference="laplace", prune=False)
    state.choose("prune", True)
    assert state.prune


@pytest.mark.parametrize(("change", "words"), [
    (lambda s: s.put("chains", "3"), "chains must be a whole number from 4"),
    (lambda s: s.put("acceptance_radius", "x"), "“x” is not a number. Kept 12.5"),
    (lambda s: s.put("rows", "5000"), "There are 512 rows. Kept 300."),
    (lambda s: s.put_range("eta0", "2", "1"), "smallest η₀ must not be above"),
    (lambda s: s.put_range("eta0", "0", "1"), "η₀ must be"),
    (lambda s: s.put_range("i_max", "2.5", "9"), "whole number"),
    (lambda s: s.put_range("eta0", "1/0", "1"), "not a number. Kept 0.001 to 2"),
    (lambda s: s.add_batch(5000), "b must be"),
    (lambda s: (s.param.update(batches=(1, 2, 3, 4, 5)), s.add_batch(9)), "At most 5 values of b"),
    (lambda s: (s.param.update(batches=(1, 2, 3, 4, 5), i_max=(1, 5000)), s.put_range("eta0", 1e-6, 1000)), "2,000 at most"),
])
def test_a_value_out_of_range_is_refused_and_changes_nothing(change, words):
    state = TuneState.of(TUNED)
    state.length = 512
    with pytest.raises(ValueError, match=words):
        change(state)
    assert state.frozen().replace(batches=(4, 9), i_max=(3, 70)) == TUNED


def test_before_the_advice_an_invalid_value_keeps_the_advised_default():
    state = TuneState()
    with pytest.raises(ValueError, match="Kept the advised"):
        state.put("chains", "x")
    with pytest.raises(ValueError, match="Kept the advised"):
        state.put_range("eta0", "x", 1)
    assert state.param.chains.position(None) == 64 and state.param.chains.position(8) == 8
