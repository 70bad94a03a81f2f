"""Links of the lab file against Python's: the same configuration, moment and messages for each link, and back."""

import json
import random
from dataclasses import asdict

import pytest

from app.extras.lab_file.content import live_facts
from app.live.moment_link import Moment, moment_in
from app.live.timeline import Change
from app.state.live import LiveState, default_config
from app.state.live_menu import PROBLEMS
from sampler.algorithms import PLAIN
from tests.browser.module_page import fixture_of, linked, script_page

pytestmark = pytest.mark.browser

HARNESS = f"""import * as link from "/lab/live_config.js"
import {{LabState}} from "/lab/state.js"
const {{LiveConfig, withRules}} = link
Object.assign(window, {{link, LiveConfig, LabState, live: withRules({json.dumps(live_facts())})}})"""
page = fixture_of(script_page, HARNESS)
WRONG = [
    "", "x", "inf", "-inf", "1e999", "nan", "0", "-1", "1e-9", "1e99", "0,5", "1,000", "5 × 10⁻³", "3.5", "2e2", "007",
    "1_000", "on", "FALSE", "none", "a" * 60, "it's", 'say "so"', "back\\slash", "line\nbreak", "\u00a0", "zürich",
    "2-1", "1-1", "1-22", "principal", "logistic21", "gaussian2", "linear2", "given", "preconditioned", "saga",
    "drifting", "max", "8e", "3e", "asis", "0x10", "1.", ".5",
]


def encoded(moment):
    return moment and json.loads(json.dumps(asdict(moment)))


def random_queries(draw, count):
    keys = [knob.key for knob in LiveState.linked().values()]
    for _ in range(count):
        base = LiveState.to_query(default_config(draw.choice(list(PROBLEMS))))
        for key in draw.sample(keys, draw.randint(0, 6)):
            base[key] = draw.choice(WRONG)
        for key in draw.sample(list(base), draw.randint(0, 8)):
            del base[key]
        yield base | draw.choice([{}, {"v": draw.choice(["1", "2", ""])}])


def test_a_link_is_read_as_in_python(page):
    single = [{key: value} for key in ("eta0", "b", "c", "chains", "follow", "axes", "vr") for value in WRONG]
    queries = [*random_queries(random.Random(5), 600), *single]
    answers = page.evaluate("queries => queries.map(query => link.fromQuery(live, query))", queries)
    for query, (config, words) in zip(queries, answers, strict=True):
        expected, sentences = LiveState.from_query(query)
        here = "give them on the Tune page."
        sentences = [one.replace(here, "drop their file on this page.") for one in sentences]
        assert (config, words) == (linked(expected), sentences), query
    assert {config["forget"] for config, _ in answers} == {False, True}


def test_a_configuration_is_written_as_in_python(page):
    draw = random.Random(7)
    configs = [default_config("linear2").replace(
        eta0=draw.choice([1e-3, 0.07, 1 / 3, 29.999999, 5]), offset=draw.choice([0.0, 1e-3, 0.1 + 0.2]),
        chains=draw.randint(1, 512), escape_radius=10 ** draw.uniform(-1, 3), follow=draw.choice([None, 0]),
        axes=draw.choice([(1, 0), "principal"]), speed=draw.randrange(14), rescaled=draw.random() < 0.5,
        forget=draw.random() < 0.5) for _ in range(200)]
    answers = page.evaluate("configs => configs.map(config => link.toQuery(live, config))", [linked(one) for one in configs])
    assert answers == [LiveState.to_query(one) for one in configs]


@pytest.mark.parametrize("log", [
    "", "0~~end", "1~~5_eta0.2~end", "2~eta0.1_b.9~180_vr.0~-181.12_C.3.5~end", "2~eta0.1~180_vr.0~12_C.3.5~end",
    "1~~5_eta0.2", "x",
    "2~~5_eta0.99999_b.x_nothing.1~7_revive~end", "1~~5_R.0.5_c.1e-5_reset.maybe~end",
    "5~~" + "~".join(f"{t}_x.1" for t in range(1, 6)) + "~end",
])
@pytest.mark.parametrize("t", ["512", "512.7", "0", "99999999", "x", "", "5.", "1.2.3"])
def test_a_moment_is_read_as_in_python(page, t, log):
    present = default_config("gaussian2").replace(eta0=0.3)
    query = {"t": t, "log": log}
    moment, words = page.evaluate("([query, present]) => link.momentIn(live, query, new LiveConfig(present))",
                                  [query, linked(present)])
    expected, sentences = moment_in(query, present)
    assert (moment, words) == (encoded(expected), sentences)


def test_a_moment_is_written_as_in_python(page):
    present = default_config("logistic2").replace(eta0=2.0, refresh=False)
    first = present.replace(eta0=0.5, escape_radius=3.25)
    changes = tuple(Change(t, steps, present.replace(eta0=eta).settings, radius, revive, goes_on) for
                    t, steps, eta, radius, revive, goes_on in (
                        (3, None, 0.7, 3.25, False, False), (3, None, 0.7, 4.0, True, False),
                        (9, 12, 1 / 3, 4.0, False, True), (40, None, 2.0, 16.0, False, False)))
    for t, steps in ((2, None), (9, 12), (9, 11), (50, 3)):
        moment = Moment(t, steps, (first.settings, first.escape_radius), changes)
        query = page.evaluate("([one, present]) => link.momentQuery(live, one, present)", [encoded(moment), linked(present)])
        assert query == moment.query(present)


def test_the_state_follows_the_rules_of_the_served_page(page):
    steps = [("problem", "logistic21"), ("eta0", 0.5), ("algorithm", "preconditioned"), ("problem", "gaussian2"),
             ("chains", 3), ("follow", 2), ("chains", 2), ("axes", "principal"), ("problem", "poisson2"),
             ("algorithm", PLAIN), ("stream", "outliers"), ("forget", True),
             ("algorithm", "preconditioned"), ("problem", "linear2")]
    state, expected = LiveState(), []
    for name, value in steps:
        state.param.update(**{name: value})
        expected.append((linked(state.frozen()), linked(state.base)))
    answers = page.evaluate("""([steps, start]) => {
      const state = new LabState(live, start)
      return steps.map(([name, value]) => { state.update({[name]: value}); return [state.config, state.base] })
    }""", [steps, linked(default_config())])
    assert [tuple(one) for one in answers] == expected


@pytest.mark.parametrize("text", ["5", "0,5", "0,125", "1,5e-1", "5,5,5", "1 000", "x", "31", "1e-9", "2.5", "", "5 × 10⁻²"])
@pytest.mark.parametrize("name", ["eta0", "batch_size", "offset"])
def test_a_number_is_accepted_or_refused_with_the_same_message(page, name, text):
    state = LiveState()
    try:
        state.put(name, text)
        expected = [getattr(state, name), ""]
    except ValueError as wrong:
        expected = [getattr(state, name), str(wrong)]
    answer = page.evaluate("""([name, text, start]) => {
      const state = new LabState(live, start)
      let error = ""
      try { state.put(name, text) } catch (wrong) { error = wrong.message }
      return [state.values[name], error]
    }""", [name, text, linked(default_config())])
    assert answer == expected
