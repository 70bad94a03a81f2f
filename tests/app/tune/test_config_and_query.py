import pytest

from app.tune.config import LIMITS, TuneConfig
from app.tune.query import DEFAULT, from_query, to_query
from app.tune.reading import Reading
from app.tune.turning import add_batch, remove_batch, turn, turn_range

FULL = TuneConfig("file-abc-x.csv", "poisson", Reading("y", ("a", "b c"), False, True), 300, (0.001, 2.0), (3, 70), (4, 9),
                  12.5, 32, 5, "laplace", False, True, (0.01, 70, 9), 9)


def test_values_between_the_ends():
    config = TuneConfig(eta0=(1 / 30, 30.0), i_max=(5, 800), batches=(9,), acceptance_radius=22.0)
    assert len(config.etas) == 13 and config.etas[0] == 0.0333 and config.etas[-1] == 30.0 and 1.0 in config.etas
    assert config.lengths == (5, 10, 20, 30, 60, 120, 250, 400, 800)
    assert config.cells == 117 == len(config.grid.cells)
    assert not config.settled and TuneConfig(eta0=(1.0, 1.0), i_max=(7, 7)).etas == (1.0,)
    assert TuneConfig(i_max=(7, 7)).lengths == (7,)


@pytest.mark.parametrize("config", [DEFAULT, FULL, TuneConfig(data="paper21")])
def test_a_link_holds_everything(config):
    assert from_query(to_query(config)) == (config, [])


def test_the_first_visit_sweeps_the_example_and_a_file_waits_to_be_asked():
    assert from_query({})[0].going and not from_query({"tdata": "file-a-b.csv"})[0].going


@pytest.mark.parametrize(("query", "field", "value", "words"), [
    ({"tdata": "nonsense"}, "data", "logistic2", "none of the streams"),
    ({"tchains": "1e9"}, "chains", 1024, "must be"), ({"tchains": "many"}, "chains", 64, "not a number"),
    ({"teta": "5"}, "eta0", None, "smallest,largest"), ({"teta": "3,1"}, "eta0", None, "smallest,largest"),
    ({"teta": "1e-9,5e9"}, "eta0", LIMITS["eta0"], "must lie from"), ({"timax": "0.5,9"}, "i_max", (1, 9), "must lie"),
    ({"tb": "9,-3,x"}, "batches", (9,), "whole numbers"), ({"tb": "0"}, "batches", None, "took the advised"),
    ({"tref": "magic"}, "reference", "auto", "not one of"), ({"tcell": "1,2"}, "chosen", None, "eta0,i_max,b"),
    ({"tprune": "perhaps"}, "prune", True, "neither 1 nor 0"), ({"tkind": "gamma"}, "kind", "", "not one of"),
])
def test_nonsense_in_a_link_is_answered_in_words(query, field, value, words):
    config, said = from_query(query)
    assert getattr(config, field) == value and len(said) == 1 and words in said[0]


def test_a_knob_takes_what_it_can():
    config = FULL.replace(batches=(9,), plane=None)
    assert turn(config, "chains", "128", None).chains == 128
    assert turn_range(config, "eta0", "1/30", 30).eta0 == (1 / 30, 30.0)
    assert turn_range(config, "i_max", 5, 5).i_max == (5, 5)
    assert add_batch(config, 4).batches == (4, 9) and add_batch(config, 4).plane == 4
    assert remove_batch(add_batch(config, 4), 9).batches == (4,) and remove_batch(config, 9) == config
    assert add_batch(config, 9) == config


@pytest.mark.parametrize(("change", "words"), [
    (lambda c: turn(c, "chains", "3", None), "chains must be a whole number from 4"),
    (lambda c: turn(c, "acceptance_radius", "x", None), "“x” is not a number"),
    (lambda c: turn_range(c, "eta0", "2", "1"), "smallest η₀ must not be above"),
    (lambda c: turn_range(c, "eta0", "0", "1"), "η₀ must be"),
    (lambda c: turn_range(c, "i_max", "2.5", "9"), "whole number"),
    (lambda c: turn_range(c, "eta0", "1/0", "1"), "not a number. Kept 0.001 to 2"),
    (lambda c: add_batch(c, 5000), "b must be"),
    (lambda c: add_batch(c.replace(batches=(1, 2, 3, 4, 5)), 9), "5 batches at most"),
])
def test_what_a_knob_cannot_take_is_said(change, words):
    with pytest.raises(ValueError, match=words):
        change(FULL)
