"""`lab_content` and `exit_facts`: the content of the lab file as JSON, from the sources of the served pages."""

import math
from dataclasses import asdict
from functools import cache
from random import Random
from typing import Any

from bokeh.document import Document

from app.chrome.header import help_html
from app.exit_time.cards import FROM_LIVE, LAYOUT, STARTS, TARGETS, ExitFigures, figure_cards, statements
from app.exit_time.result_words import CAPTIONS
from app.exit_time.theory_price import price
from app.glossary import lookup, term_name
from app.glossary.browser import terms
from app.glossary.term import first_word
from app.lessons.lesson import Lesson
from app.lessons.lesson_card import contents_line, lesson_message
from app.lessons.reader import FOLDER, OPENING, gather_lessons
from app.lessons.story import CASES_SEED
from app.live.charts.stack import INKS, ChartStack
from app.live.page_words import NARROW, PHONE, WIDE
from app.live.run_state import start_rule
from app.live.timeline import HORIZON
from app.plots import repaint
from app.state.exit_time import DEFAULT_PRESET, Chain, ExitState
from app.state.live import (
    EVERY_SWITCH,
    MORE,
    PRESETS,
    RESTARTING,
    SAMPLER,
    SPEEDS,
    SWITCHES,
    VERSION,
    LiveState,
    default_config,
    two_digits,
)
from app.state.live_menu import ALGORITHMS, PROBLEMS, ProblemChoice, refusal, stream_labels, unmet_requirement
from app.state.page_state import Frozen, PageState
from app.state.parameters.knob import Axes, Choice, Followed, Knob, Switch
from app.theme import FONT, TOKENS
from app.widgets.figure_card import CHOSEN_BY_KEYS, FigureView
from app.widgets.page_shell import PURPOSES
from app.widgets.verdict_card import NUMBER, TERMS
from sampler.algorithms import ONLINE_ALGORITHMS, PLAIN
from sampler.streams import column_choice, number_columns
from sampler.version import VERSION as RELEASE
from sampler.wasm import problem_record

OWN_KINDS = {"logistic": "logistic", "linear": "linear", "poisson": "Poisson", "gaussian_mean": "mean of the columns"}
"""Kind of model for the user's own data -> label."""
ROUNDS = 50
"""Number of stored random orders of a lesson's cases, which then repeat."""


def lab_content() -> dict[str, Any]:
    """Return all content except the scripts, the kernels and the fonts."""
    return {"release": RELEASE, "font": FONT, "tokens": TOKENS, "live": live_facts(), "verdict": verdict_facts(),
            "layout": {"layout": WIDE, "narrow": NARROW, "phone": PHONE, "purpose": PURPOSES["Live"]},
            "charts": lab_charts(), "problems": problem_records(),
            "own": own_facts(), "lessons": lesson_facts(), "help": help_html(served=False), "terms": terms()}


def live_facts() -> dict[str, Any]:
    """Return the parameters of `LiveState`, its menus, defaults and presets."""
    return {
        "version": VERSION, "horizon": HORIZON, "parameters": parameter_facts(LiveState),
        "sampler": SAMPLER, "more": MORE, "switches": EVERY_SWITCH, "warns": SWITCHES,
        "restarting": [name for name in RESTARTING if name != "user_data"],
        "speeds": [list(speed[:2]) for speed in SPEEDS], "looks": LiveState.looks,
        "algorithms": {key: asdict(choice) for key, choice in ALGORITHMS.items()},
        "problems": {key: {
            "label": choice.label, "dim": choice.dim, "kind": choice.problem.kind, "coordinates": choice.coordinates,
            "note": choice.note, "streams": stream_labels(choice.problem.kind), "refused": _refusals(key),
            "lacks": {name: f"{why}." for name in ALGORITHMS if (why := unmet_requirement(name, choice))},
            "defaults": {name: plain(LiveState, default_config(key, algorithm=name)) for name in ALGORITHMS
                         if name not in _refusals(key)},
        } for key, choice in PROBLEMS.items()},
        "presets": [{"key": one.key, "label": one.label, "says": one.hint, "config": plain(LiveState, one.config)}
                    for one in PRESETS.values()]}


def own_facts() -> dict[str, Any]:
    """Return the labels for reading the user's own data, and Live's defaults on them by kind and dimension."""
    return {"missing": number_columns.MISSING_WORDS, "responses": column_choice.RESPONSES,
            "kinds": [[kind, words] for kind, words in OWN_KINDS.items()],
            "defaults": {kind: {dim: _own_defaults(kind, dim) for dim in range(2, 22)} for kind in OWN_KINDS}}


def _own_defaults(kind: str, dim: int) -> dict[str, dict[str, float]]:
    """Return algorithm -> knobs for standardised rows: those of the problem in 2D, with radii scaled by sqrt(dim / 2)."""
    small, wide = default_config(f"{kind.split('_')[0]}2"), math.sqrt(dim / 2)
    share = (dim - 2) / 19  # batch size and i_max grow to those of the logistic problem in 21 dimensions
    large = default_config("logistic21")
    knobs = {name: getattr(small, name) for name in SAMPLER}
    knobs |= {name: two_digits(knobs[name] * wide) for name in ("acceptance_radius", "escape_radius")}
    knobs |= {name: round(knobs[name] * (getattr(large, name) / knobs[name]) ** share) for name in ("batch_size", "i_max")}
    untuned = ONLINE_ALGORITHMS["preconditioned"].default_settings(dim, kind=kind)
    return {PLAIN: knobs, "preconditioned": knobs | {name: two_digits(getattr(untuned, name)) for name in (
        "eta0", "acceptance_radius")} | {name: getattr(untuned, name) for name in ("batch_size", "i_max")}}


def _refusals(problem: str) -> dict[str, str]:
    """Return algorithm -> the reason why it cannot run on a problem."""
    return {key: words for key in ALGORITHMS if (words := refusal(key, PROBLEMS[problem]))}


def verdict_facts() -> dict[str, Any]:
    """Return the markup rules of the verdict card: the pattern of numbers, and the terms."""
    return {"number": NUMBER.pattern, "terms": [[first_word(word), lookup(word).name] for word in TERMS],
            "meters": {label: term_name(label) for label in ("width bias", "gradient noise", "memory", "epochs reset")}}


@cache
def lesson_facts() -> dict[str, Any]:
    """Return the opening and the lessons: contents of their cards, settings and timed changes."""
    lessons, _ = gather_lessons()
    opening, _ = gather_lessons([FOLDER / OPENING])
    return {"opening": [_lesson(one, -1, len(lessons) - 1) for one in opening],
            "list": [_lesson(one, number, len(lessons) - 1) for number, one in enumerate(lessons)]}


def _lesson(lesson: Lesson, number: int, last: int) -> dict[str, Any]:
    first = lesson.with_case(0) if lesson.cases else lesson
    facts = {"key": lesson.key, "page": lesson.page, "line": contents_line(lesson),
              "card": lesson_message(first, number, last), **_run_facts(first), "span": lesson.span,
              "changes": [asdict(change) for change in lesson.changes],
              "steps": [{"settings": step.settings, "arrive": step.arrive} for step in lesson.steps],
              "hints": [{"settings": None if hint.settings is None else lesson.hint_settings(hint),
                         "restart": hint.restart, "arrive": hint.arrive} for hint in lesson.hints]}
    if lesson.cases:
        cases = [lesson.with_case(k) for k in range(len(lesson.cases))]
        facts["cases"] = [{"card": lesson_message(case, number, last), **_run_facts(case)} for case in cases]
        facts["drawn"] = [Random(CASES_SEED + k).sample(range(len(cases)), len(cases)) for k in range(ROUNDS)]
    return facts


def _run_facts(lesson: Lesson) -> dict[str, Any]:
    return {"settings": lesson.settings, "arrive": lesson.arrive, "asked_at": lesson.asked_at}


KINDS = {Knob: "knob", Switch: "switch", Choice: "choice", Followed: "followed", Axes: "axes", Chain: "chain"}
"""Class of parameter -> name of its kind in the file; `app/js/lab/live_config.js` has the rules of each kind."""
OF_KIND = {
    "knob": ("low", "high", "symbol", "plain", "scale", "whole", "token", "lowest", "term", "least"), "switch": ("term",),
    "choice": ("objects", "tokens"), "followed": (), "axes": (), "chain": ()}


def parameter_facts(state: type[PageState]) -> dict[str, dict[str, Any]]:
    """Return name -> attributes of each linked parameter, in order."""
    facts = {}
    for name, one in state.linked().items():
        kind = next(word for cls, word in KINDS.items() if isinstance(one, cls))
        fact = {"kind": kind, "key": one.key, "label": one.label, "doc": one.doc, "default": one.default}
        fact |= {field: getattr(one, field) for field in OF_KIND[kind]}
        if kind == "knob":
            fact["term"] = one.term or term_name(one.label)
        if kind == "choice":
            fact["tokens"] = one.tokens or [str(value) for value in one.objects]
        facts[name] = fact
    return facts


def plain(state: type[PageState], config: Frozen) -> dict[str, Any]:
    """Return a configuration as names and values, without the user's own data."""
    return {name: getattr(config, name) for name in state.linked()}


def problem_records() -> dict[str, dict[str, Any]]:
    """Return key -> record of `sampler.wasm.problem_record`, with the labels and defaults of the menu."""
    return {key: _record(choice) for key, choice in PROBLEMS.items()}


def _record(choice: ProblemChoice) -> dict[str, Any]:
    advised = {name: default_config(choice.key, algorithm=name).settings.to_dict() for name in ALGORITHMS
               if not refusal(name, choice)}
    return problem_record(choice.problem) | {
        "key": choice.key, "label": choice.label, "coordinates": choice.coordinates, "truth": choice.truth,
        "start": start_rule(choice.problem.kind), "seed": choice.seed, "escape_radius": choice.escape_radius,
        "advised": advised}


def lab_charts() -> dict[str, Any]:
    """Return the figures for `app/js/lab/charts.js`.

    Returns
    -------
    dict
        ``document``: Bokeh document as JSON; ``roots``: ids of its figures; ``models``: name in `ChartView` -> id of the
        model; ``paint``: [id, property -> token or tokens] of models whose colour depends on the theme; ``tokens``: theme ->
        token -> colour; ``titles`` and ``terms`` of the card.
    """
    stack, document = ChartStack(), Document()
    for figure in stack.figures:
        figure.sizing_mode = "stretch_width"
        document.add_root(figure)
    inks = [stack.models.ink["transform"].id, {"palette": INKS}]
    return {"document": document.to_json(deferred=False) | {"defs": []},  # definitions of all models of this process
            "roots": [figure.id for figure in stack.figures],
            "models": {name: model.id for name, model in stack.named.items()},
            "paint": [*([model.id, roles] for model, roles in stack.paint.strokes), inks],
            "tokens": TOKENS, "titles": stack.titles, "terms": stack.terms}


CARD_FIELDS = ("label", "heads", "row", "segments", "chosen", "stepper", "stepped", "caption", "spoken", "empty",
               "button", "exports", "heights", "filename")
FIGURES = ("paths", "survival", "sums", "square", "plain", "process", "promise", "good")
GLYPHS = ("patches_1", "multi_line_1", "multi_line_2", "segment_1", "scatter_1")


def exit_facts() -> dict[str, Any]:
    """Return the parameters and presets of `ExitState`, and the cards, figures and texts of the page."""
    figures = ExitFigures(lambda chain: None)
    cards = figure_cards(figures, {})
    names = {id(getattr(figures, name)): name for name in FIGURES}
    paper = price(None)
    return {
        "parameters": parameter_facts(ExitState), "knobs": list(ExitState.knobs()), "looks": ExitState.looks,
        "starts": [[value, words] for words, value in STARTS.items()],
        "targets": [[value, words] for words, value in TARGETS.items()], "section": FROM_LIVE,
        "default": DEFAULT_PRESET,
        "presets": [{"key": one.key, "label": one.label, "says": one.hint, "config": plain(ExitState, one.config) | {
            "adopt": one.config.adopt}} for one in ExitState.presets.values()],
        "layout": LAYOUT, "purpose": PURPOSES["Exit time"], "captions": CAPTIONS,
        "cards": {name: {key: getattr(cards[name], key) for key in CARD_FIELDS}
                  | {"figures": [names[id(view)] for view in cards[name].views]} for name in cards},
        "says": {"title": "More of the paper, checked", "body": statements()},
        "price": {"rows": [list(row) for row in paper.rows], "source": paper.source, "verdict": paper.verdict,
                  "why": paper.why, "choice": "paper", "has_live": False},
        "charts": _charts(figures)}


def _charts(figures: ExitFigures) -> dict[str, Any]:
    """Return the empty figures as a Bokeh document, the ids of the models that change, and colours by theme."""
    document, models = Document(), {}
    for name in FIGURES:
        view: FigureView = getattr(figures, name)
        view.draw()
        figure, handles = view.plot.state, view.plot.handles
        figure.update(min_height=0, sizing_mode="stretch_both")  # its card sets the height
        if name == "paths":
            figure.html_attributes = {**figure.html_attributes, **CHOSEN_BY_KEYS}
        document.add_root(figure)
        models[name] = {"root": figure.id, "x": [figure.x_range.id, figure.xaxis[0].id], "y": [
            figure.y_range.id, figure.yaxis[0].id], "sources": {glyph: handles[f"{glyph}_source"].id for glyph in GLYPHS}}
    values = {}
    for dark in (True, False):
        for name in FIGURES:
            repaint(getattr(figures, name).plot, dark)
        values[dark] = {model.id: model.properties_with_values() for model in document.models}
    paint = [[one, name, light, values[True][one][name]] for one, own in values[False].items() for name, light in own.items()
             if isinstance(light, str | list | dict) and light != values[True][one][name]]  # colours
    return {"document": document.to_json(deferred=False) | {"defs": []}, "models": models, "paint": paint}
