"""Translated Python in Chromium gives the results of Python, character for character."""

import ast
import inspect
import json
import math
import random
from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pytest

from app.js.translate.modules import FOLDER as TRANSLATED
from app.js.translate.statements import Writer
from app.live.assumptions import lines_of, ticks_of
from app.live.certificates import promise_of
from app.live.epoch_measures import counted_since, meters
from app.live.ghost_run import compare
from app.live.page_words import fault_notice, notice_of, replay_notice, run_notice, titles_of
from app.live.timeline import Change, Timeline
from sampler import Settings
from sampler.tuning import Measurements, judge, limit_words
from sampler.tuning.settings_grid import above, below, whole_steps
from tests.browser import translated_program
from tests.browser.module_page import fixture_of, script_page

pytestmark = pytest.mark.browser
MODULES = ["lab/python.js", *(f"dist/translated/{path.name}" for path in sorted(TRANSLATED.glob("*.js")))]
IMPORTS = "".join(f'import * as m{i} from "/{name}"\n' for i, name in enumerate(MODULES))
MERGED = ", ".join(f"...m{i}" for i in range(len(MODULES)))
page = fixture_of(script_page, f"{IMPORTS}Object.assign(window, {{py: m0, all: {{{MERGED}}}}})")


def answers_of(page, function, values):
    """Return the results of a JavaScript function for values, which may be nan, inf or dataclasses."""
    return json.loads(page.evaluate(f"() => JSON.stringify(({function})({json.dumps(list(values), default=asdict)}))"))


def plain(value):
    """Return a value after a round trip through JSON, with dataclasses as objects."""
    return json.loads(json.dumps(value, default=asdict))


def numbers(rng):
    """Yield doubles of every size, halves and quarters of the last digit (ties), and their neighbours."""
    for _ in range(300):
        yield rng.uniform(-1, 1) * 10.0 ** rng.randint(-12, 24)
        tie = (2 * rng.randint(0, 5_000) + 1) / 2 ** rng.randint(1, 6)
        yield from (tie, -tie, np.nextafter(tie, 0.0), tie / 100)
        yield rng.randint(-9_999, 9_999) * 10.0 ** rng.randint(-3, 18)
    yield from (0.0, -0.0, 1.0, 999_999.5, 99_999.95, 1e21, 1e22, 5e-324, 1.7e308, 9.5, 0.00009999995, math.inf, math.nan)


SPECS = "g .2g .3g .6g .12g ,g .0f .1f .2f .3f f ,.0f ,.1f ,.2f +.2f .1e .3e e .0% .1%".split()


@pytest.mark.parametrize("spec", SPECS)
def test_numbers_are_formatted_as_in_python(page, spec):
    values = [float(one) for one in numbers(random.Random(spec))]
    words = answers_of(page, f"values => values.map(one => all.format(one, '{spec}'))", values)
    assert [(one, text) for one, text in zip(values, words, strict=True) if text != format(one, spec)] == []


def test_whole_numbers_and_halves_are_formatted_and_rounded_as_in_python(page):
    whole = [0, -1, 999, 1_000, -12_345_678, 2**53]
    assert answers_of(page, "values => values.map(one => all.format(one, ','))", whole) == [f"{one:,}" for one in whole]
    halves = [k / 2 for k in range(-9, 10)] + [0.125, 0.375, 2.675]
    assert answers_of(page, "values => values.map(one => [all.round(one), all.round(one, 2)])", halves) == \
        [[round(one), round(one, 2)] for one in halves]


def test_suggested_round_numbers_equal_pythons(page):
    values = [10.0 ** random.Random(i).uniform(-9, 9) for i in range(500)] + [digit * 10.0**k for k in range(-9, 10)
                                                                              for digit in (1.0, 1.2, 2.5, 8.0)]
    answers = answers_of(page, "values => values.map(one => [all.below(one), all.above(one), all.whole_steps(one)])", values)
    assert answers == [[below(one), above(one), whole_steps(one)] for one in values]


def maybe(rng, chance, value):
    return value if rng.random() < chance else None


def attributes(value):
    """Return a nested dict as nested namespaces."""
    return SimpleNamespace(**{name: attributes(one) for name, one in value.items()}) if isinstance(value, dict) else value


def settings_of(rng):
    return Settings(eta0=round(10 ** rng.uniform(-3, 2), 6), batch_size=rng.choice([1, 9, 64, 250]),
                    i_max=rng.choice([1, 7, 60, 900, 2_000]), acceptance_radius=round(10 ** rng.uniform(0, 3), 4),
                    offset=rng.choice([0.0, 1.0, 2.5]), reset=rng.random() < 0.7, refresh=rng.random() < 0.7,
                    variance_reduction=rng.random() < 0.8)


def measurements_of(seed):
    """Return random measurements of a run, with a random rate of faults."""
    rng = random.Random(seed)
    bad = rng.choice([0.02, 0.1, 0.3, 0.6])
    t = rng.choice([3, 40, 700, 30_000])
    wrong = rng.random() < bad
    ceiling = rng.uniform(0.5, 1.0)
    full = rng.random() < 0.85
    infinite = rng.random() < 0.1
    draws, pairs = (math.inf,) * 2 if infinite else (rng.uniform(1, 9_000), rng.uniform(2, 9_000))
    return Measurements(
        settings_of(rng), t, rng.choice([1, 8, 64, 512]), rng.choice([t, t, max(t - 5, 0), 0]),
        accuracy=maybe(rng, 0.97, rng.uniform(0, 1) if wrong else ceiling + rng.uniform(-0.02, 0.01)),
        ceiling=maybe(rng, 0.97, ceiling), ceiling_sd=rng.choice([0.0, rng.uniform(0, 0.02)]),
        predicted=maybe(rng, 0.6, rng.uniform(0, 1)),
        width_bias=maybe(rng, 0.9, math.nan if rng.random() < 0.01 else 10 ** rng.uniform(-3, 3) if rng.random() < bad
                         else rng.uniform(-0.5, 0.09)),
        narrowness=maybe(rng, 0.9, rng.uniform(-0.5, 1.0) if rng.random() < bad else rng.uniform(-0.5, 0.09)),
        dim=maybe(rng, 0.5, rng.choice([1, 2, 21])) if not full else rng.choice([1, 2, 21]),
        draws=maybe(rng, 1.0 if full else 0.3, draws), pairs=maybe(rng, 1.0 if full else 0.3, pairs),
        spacing=rng.choice([1, 4]), noise_share=maybe(rng, 0.9, 10 ** (rng.uniform(-1, 3) if rng.random() < bad
                                                                       else rng.uniform(-5, -1))),
        memory=maybe(rng, 0.9, rng.uniform(-0.2, 1.0) if rng.random() < 2 * bad else rng.uniform(0, 0.2)),
        lag=maybe(rng, 0.9, 10 ** (rng.uniform(-1, 3) if rng.random() < bad else rng.uniform(-4, -1))),
        resets=rng.choice([0, 1, 40, 9_000]) if rng.random() < bad else 0,
        exits=maybe(rng, 0.8, rng.choice([0, 0, 3, 7_000])),
        window=rng.choice([1, 30, 480]), resets_window=maybe(rng, 0.5, rng.choice([0, 30, 480])),
        own_checkpoint=rng.random() < 0.8, drifts=rng.random() < 0.3, checkpoint_epoch=t // 2,
        stale_share=rng.uniform(0, 0.5) if rng.random() < bad else 0.0,
        reference_draws=maybe(rng, 0.3, 10 ** rng.uniform(1.8, 4)), reference_epoch=maybe(rng, 0.7, rng.randint(0, t)),
        diverged=maybe(rng, 0.05, (rng.randint(0, 63), t, rng.randint(0, 60_000))), diverged_chains=rng.choice([1, 2, 17]),
        largest_curvature=maybe(rng, 0.7, 10 ** rng.uniform(-2, 4)), largest_eta0=maybe(rng, 0.7, 10 ** rng.uniform(-4, 3)),
        advised=maybe(rng, 0.6, settings_of(rng)), algorithm=rng.choice(["saga-ld", "preconditioned"]))


MEASURED = 1_500
SUBTITLES = 20
"""Number of verdict branches with different subtitles."""
JUDGED = """many => many.map(one => {
  const made = new all.Measurements({...one, settings: new all.Settings(one.settings),
    advised: one.advised && new all.Settings(one.advised)})
  const {limits} = made
  return [all.judge(made), limits, Object.keys(limits).map(name => all.limit_words(name, limits[name])), all.meters(made)]
})"""


def test_every_verdict_its_limits_and_its_meters_equal_pythons(page):
    measured = [measurements_of(seed) for seed in range(MEASURED)]
    verdicts, four = plain([judge(one) for one in measured]), plain([meters(one) for one in measured])
    kinds = {"safe", "hot", "narrow", "cold", "noisy", "resets", "lagging", "stale", "weak_reference", "diverged", "waiting"}
    assert {one["kind"] for one in verdicts} == kinds
    assert len({one["subtitle"] for one in verdicts}) == SUBTITLES
    assert {meter["bad"] for each in four for meter in each} == {True, False}
    judged, limits, words, shown = zip(*answers_of(page, JUDGED, measured), strict=True)
    assert [(mine, theirs) for mine, theirs in zip(verdicts, judged, strict=True) if mine != theirs] == []
    for one, theirs, texts in zip(measured, limits, words, strict=True):
        # a dozen operations on elementary functions, each exact to an ulp or two of 1.1e-16; JSON has null for inf
        assert theirs == pytest.approx(one.limits, rel=1e-14)
        assert texts == [limit_words(name, value) for name, value in one.limits.items()]
    fills = [[[meter.pop("fill") for meter in each] for each in many] for many in (four, shown)]
    assert four == list(shown)
    np.testing.assert_allclose(fills[1], fills[0], rtol=1e-14, atol=0)  # as the limits


def knobs_of(rng):
    """Return settings and an escape radius from a small set, so that values repeat."""
    few = Settings(eta0=rng.choice([0.5, 1.0]), acceptance_radius=rng.choice([1.0, 22.5]), batch_size=rng.choice([9, 64]),
                   reset=rng.random() < 0.7, refresh=rng.random() < 0.7)
    return few, rng.choice([16.0, 16.0, 1234.5])


def history_of(seed):
    """Return calls of the timeline of a run with changes of knobs, and the results of Python."""
    rng, t, clock, timeline, calls, answers = random.Random(seed), 1, 0.0, Timeline(), [], []
    first = knobs = knobs_of(random.Random(seed))

    def call(name, *arguments):
        calls.append([name, *arguments])
        answers.append(getattr(timeline, name)(*arguments))
        return answers[-1]

    for _ in range(rng.choice([3, 30, 230])):
        kind = rng.random()
        t, clock = t + rng.choice([0, 0, 1, 7]), clock + rng.choice([0.2, 1.0, 2.0])
        if kind < 0.03:
            t = max(1, t - rng.randint(0, 9))
            call("truncate", t)
        elif kind < 0.1:
            call("add", Change(t, None, *(timeline.changes[-1].knobs if timeline.changes else first), True))
            call("mark_revived", t, rng.randint(1, 5), clock)
        else:
            advanced, before, knobs = rng.choice([None, 3, 5]), knobs, knobs_of(rng)
            call("add", Change(t, advanced, *knobs, False, call("mark", t + 0.5, clock, before, knobs)))
    counts = [(5 * k, k % 2 == 0, ("safe", "waiting", "diverged")[k % 3]) for k in range((t + 7) // 5)]
    since = [counted_since(timeline.changes, first, epoch) for epoch, *_ in counts]
    words = [one.words(*how) for one, how in zip(since, counts, strict=True)]
    wanted = [answers, timeline.changes, timeline.events(t - 1), since, words]
    return {"first": first, "calls": calls, "counts": counts, "t": t}, plain(wanted)


TIMELINES = """histories => histories.map(({first, calls, counts, t}) => {
  const timeline = new all.Timeline(), knobs = ([settings, radius]) => [new all.Settings(settings), radius]
  const made = one => Array.isArray(one) ? knobs(one) : one?.settings
    ? new all.Change({...one, settings: new all.Settings(one.settings)}) : one
  const answers = calls.map(([name, ...args]) => timeline[name](...args.map(made)))
  const since = counts.map(([t]) => all.counted_since(timeline.changes, knobs(first), t))
  return [answers, timeline.changes, timeline.events(t - 1), since, since.map((one, k) => one.words(...counts[k]))]
})"""


def test_the_log_of_changes_its_marks_and_the_epochs_of_measures_equal_pythons(page):
    histories, wanted = zip(*map(history_of, range(15)), strict=True)
    assert {event["kind"] for _, _, events, *_ in wanted for event in events} == {"knob", "switch", "chains"}
    assert any(event["t_end"] is not None for _, _, events, *_ in wanted for event in events)
    assert any(change["continues"] for _, changes, *_ in wanted for change in changes)
    assert any("Resets count again" in sentence for *_, words in wanted for sentence in words)
    assert answers_of(page, TIMELINES, histories) == list(wanted)


NOTICES = """cases => cases.map(({run, arrived, replay, fault, shown}) => {
  const {verdict, exhausted, ...state} = run
  const live = {verdict: () => [verdict], state: {...state, data: {exhausted: () => exhausted}}, moment: run}
  const notice = all.run_notice(live, arrived)
  return [notice, all.replay_notice(replay), all.fault_notice(...fault), all.notice_of(shown), all.titles_of(shown)]
})"""


def test_notices_and_titles_equal_pythons(page):
    rng, cases, wanted = random.Random(5), [], []
    for _ in range(100):
        run = {"halted": rng.random() < 0.2, "ended": rng.random() < 0.3, "t": rng.randint(0, 65_536),
               "way": [0] * rng.randint(0, 2), "exhausted": rng.random() < 0.5,
               "verdict": {"sentence": "It ran off.", "suggestion": "Lower η₀."}}
        shown = {"notice": maybe(rng, 0.7, "Words."), "notice_kind": maybe(rng, 0.8, rng.choice(["ended", "error", "arrived",
                 "diverged", "replaying"])), "progress": maybe(rng, 0.5, rng.random()),
                 "reference": rng.choice([None, "exact", "grid", "being drawn", "1,200 effective draws at t = 512, old, x"]),
                 "config": {"chains": rng.choice([1, 64]), "algorithm": rng.choice(["saga-ld", "preconditioned"]),
                            "follow": rng.choice([None, 0, 7])}, "cloud": {"arrows": rng.choice([None, 1])}}
        case = {"run": run, "arrived": rng.random() < 0.7, "shown": shown, "fault": ["No memory...", rng.choice([0, 99])],
                "replay": {"target": rng.randint(1, 65_536), "fraction": rng.choice([rng.random(), 0.125, 0.005])}}
        cases.append(case)
        live = attributes({"state": run | {"data": {"exhausted": lambda t, run=run: run["exhausted"]}}, "moment": run,
                           "verdict": lambda run=run: [attributes(run["verdict"])]})
        picture = attributes(shown)
        wanted.append([run_notice(live, case["arrived"])._asdict(), replay_notice(attributes(case["replay"]))._asdict(),
                       fault_notice(*case["fault"])._asdict(), notice_of(picture), titles_of(picture)._asdict()])
    assert len({one[0]["kind"] for one in wanted}) == 4
    assert answers_of(page, NOTICES, cases) == wanted


COMPARISONS = """cases => cases.map(({ghost, run, assumed, ticked, promised}) => {
  const history = values => ({latest: name => values[name] ?? null})
  const comparison = all.compare({...ghost, history: history(ghost.values)},
    {state: run, history: history(run.values)}, config => `the ${config.problem}`)
  return [comparison, all.lines_of(...assumed), all.ticks_of(...ticked),
    all.promise_of(promised.epoch, history(run.values), 9, promised.ceiling)]
})"""


def certificate_of(rng):
    words = ["", "variance is not known", "smoothness: no", "wasserstein: no", "raise i_max, or lower eta0 <= eta sigma^2"]
    sizes = {name: 10 ** rng.uniform(-8, 8) for name in ("start", "step", "noise")}
    return {"value": rng.choice([1.0, rng.random()]), "conditions": rng.choice([[], ["one"]]), "words": rng.choice(words),
            "exit": rng.choice([0.0, rng.random()]), **sizes}


def test_texts_of_a_ghost_of_the_assumptions_and_of_the_promise_equal_pythons(page):
    rng, cases, wanted = random.Random(6), [], []
    for _ in range(100):
        ghost, run = ({"config": config_of(rng), "t": rng.randint(0, 3_000), "done": rng.random() < 0.5,
                       "values": {name: 10 ** rng.uniform(-3, 5) for name in ("accuracy", "memory", "farthest", "cost", "tv")
                                  if rng.random() < 0.8}} for _ in range(2))
        assumed = [[rng.choice([None, math.inf, 10 ** rng.uniform(-2, 5)]) for _ in range(3)],
                   [rng.choice([None, True, False]) for _ in range(3)]]
        sizes = [10 ** rng.uniform(-1, 1) for _ in range(5)]
        ticked = [[assumed[0][0], *sizes[:2]], *sizes[2:]]
        epoch = {"t": rng.randint(1, 65_536), "measured": certificate_of(rng), "in_ball": certificate_of(rng), "chains": 8,
                 "wasserstein": rng.choice([None, 10 ** rng.uniform(-5, 3)]), "variance": 10 ** rng.uniform(-5, 9),
                 "whitened": rng.random() < 0.5}
        promised = {"epoch": maybe(rng, 0.9, epoch), "ceiling": rng.choice([(None, 0.0), (rng.random(), 0.0125)])}
        cases.append({"ghost": ghost, "run": run, "assumed": assumed, "ticked": ticked, "promised": promised})
        old, new = (attributes({"latest": lambda name, t, values=one["values"]: values.get(name)}) for one in (ghost, run))
        compared = compare(attributes(ghost | {"history": old}), attributes({"state": run, "history": new}),
                           lambda config: f"the {config.problem}")
        promise = promise_of(attributes(promised["epoch"]), new, 9, promised["ceiling"])
        wanted.append([compared, lines_of(*assumed), ticks_of(*ticked), promise])
    assert {tuple(one[2]) for one in wanted} >= {(None, True, True), (True, True, False), (False, False, True)}
    assert answers_of(page, COMPARISONS, cases) == plain(wanted)


def config_of(rng):
    settings, radius = knobs_of(rng)
    return asdict(settings) | {"escape_radius": radius, "problem": rng.choice(["logistic2", "linear2"]), "user_data": None,
                               "stream": rng.choice(["paper", "ill_conditioned"]), "algorithm": "saga-ld", "chains": 64,
                               "seed": rng.choice([0, 1]), "forget": rng.random() < 0.5}


class ProgramNames:
    def __init__(self, tree):
        self.tree = {getattr(one, "name", "ROWS"): one for one in tree.body
                     if isinstance(one, ast.FunctionDef | ast.ClassDef | ast.Assign)}

    def definition(self, name):
        return self.tree[name]

    def method(self, name):
        return next((one for one in self.tree["Point"].body if getattr(one, "name", "") == name), None)

    def use(self, name):
        pass


def test_a_program_gives_the_results_of_python(page):
    tree = ast.parse(inspect.getsource(translated_program))
    names = ProgramNames(tree)
    writer = Writer(names, "program")
    texts = [writer.klass(one, [method for method in one.body if isinstance(method, ast.FunctionDef)])
             if isinstance(one, ast.ClassDef) else writer.constant(one) if isinstance(one, ast.Assign)
             else writer.function(one, f"export function{{star}} {name}") for name, one in names.tree.items()]
    functions = [name for name, one in names.tree.items() if isinstance(one, ast.FunctionDef) and not one.args.args]
    code = "\n".join(texts).replace("export ", "")
    answers = answers_of(page, f"() => {{ {code}\n return [{', '.join(f'{name}()' for name in functions)}] }}", [])
    for name, answer in zip(functions, answers, strict=True):
        assert answer == plain(getattr(translated_program, name)()), name
