"""Knobs and links of the Offline page: what is refused, clamped and reported, and that nothing else changes."""

import numpy as np
import pytest

from app.state.offline import LADDER, PARTS, OfflineConfig, OfflineState
from app.state.offline_races import LIKELIHOOD, steps_between

KNOBS = {f"{view}-{name}": knob for view, part in PARTS.items() for name, knob in part.knobs().items()}
to_query = OfflineState.to_query


def turn(config, name, value, rows=None):
    """Return the configuration with one knob turned."""
    state, (view, knob) = OfflineState(), name.split("-", 1)
    state.load(config)
    if rows is not None:
        state.part(view).rows = rows
    try:
        state.part(view).put(knob, value)
    except ValueError:
        assert state.frozen() == config  # bad input never changes state
        raise
    return state.frozen()


@pytest.mark.parametrize(("name", "value", "words"), [
    ("w2-anchor_every", "0", "m must be a whole number from 1 to 500,000. Kept 100."),
    ("w2-anchor_batch", "501", "B must be at most n = 500, the number of data; B = n is SVRG-LD. Kept 100."),
    ("nll-anchor_batch", "3001", "B must be at most n = 3,000"),
    ("w2-chains", "5", "K must be 20 or more"), ("ladder-i_max", "10.5", "whole number from 10 to 20,000"),
])
def test_a_wrong_number_is_refused_in_words(name, value, words):
    with pytest.raises(ValueError) as wrong:
        turn(OfflineConfig(), name, value)
    assert words in str(wrong.value)


def test_a_file_sets_how_large_b_may_be():
    assert turn(OfflineConfig(), "nll-anchor_batch", "4000", rows=6000).nll.anchor_batch == 4000
    with pytest.raises(ValueError, match="at most n = 384"):
        turn(OfflineConfig(), "nll-anchor_batch", "600", rows=384)
    assert turn(OfflineConfig(), "nll-anchor_batch", 600.0, rows=384).nll.anchor_batch == 384  # a slider is not refused


def test_b_keeps_its_share_when_n_changes_and_m_follows_b_until_it_is_set():
    config = turn(OfflineConfig(), "w2-n", 5000.0)
    assert config.w2.anchor_batch == 1000 == config.w2.anchor_every == steps_between(1000, 1)
    own = turn(config, "w2-anchor_every", "7")
    assert own.w2.anchor_every == 7 == turn(own, "w2-batch_size", "10").w2.own_every
    open_ = turn(config, "w2-batch_size", "10").w2
    assert open_.own_every is None and open_.anchor_every == 100
    assert turn(config, "w2-step_size", "0.01").w2.step == "common"


def test_links_carry_everything_back():
    rng = np.random.default_rng(0)
    config = OfflineConfig()
    for name, knob in KNOBS.items():
        value = knob.low + rng.random() * (knob.high - knob.low)
        config = turn(config, name, float(round(value) if knob.whole else value))
    config = config.replace(view=LIKELIHOOD, nll=config.nll.replace(average="position", samplers=("uld", "ula")),
                            w2=config.w2.replace(samplers=(), every="auto").with_batch(config.w2.anchor_batch))
    assert OfflineState.from_query(to_query(config)) == (config, [])
    many = OfflineConfig(ladder=OfflineState.from_query({"otarget": "many", "oaxes": "3-21"})[0].ladder)
    assert many.ladder.axes == (2, 20) and OfflineState.from_query(to_query(many)) == (many, [])
    principal = many.replace(ladder=many.ladder.replace(axes="principal"))
    assert OfflineState.from_query(to_query(principal)) == (principal, [])


@pytest.mark.parametrize(("query", "words"), [
    ({"oview": "tower"}, "oview = 'tower' is not one of ladder, w2, nll; took ladder."),
    ({"ogn": "1e9"}, "n = '1e9' must be a whole number from 50 to 50,000; took 50,000."),
    ({"ogB": "900"}, "B = 900 must be at most n = 500; took n, which is SVRG-LD."),
    ({"ogk": "3"}, "K = 3 must be 20 or more"), ({"oaxes": "0-9"}, "oaxes = '0-9' must be two different coordinates"),
    ({"ofon": "sgld,hmc"}, "'hmc' is not one of"), ({"oeta": "nan"}, "η₀ = 'nan' is not a number; took 1."),
])
def test_nonsense_in_a_link_is_answered(query, words):
    config, notes = OfflineState.from_query(query)
    assert any(words in sentence for sentence in notes), notes
    assert OfflineState.from_query(to_query(config)) == (config, [])


@pytest.mark.parametrize("query", [{}, None, {"oT": ["", b"32"]}, {"ogon": "none"}, {"other": "1"}])
def test_what_is_no_mistake_is_not_scolded(query):
    config, notes = OfflineState.from_query(query)
    assert notes == [] and config.view == LADDER
    assert (config.ladder.terms == 32) == bool(query and "oT" in query)
    assert (config.w2.samplers == ()) == bool(query and "ogon" in query)
