"""`exit_facts`: what the lab file knows of the Exit time page: knobs, cards, figures, and words that stand still."""

from __future__ import annotations

from typing import Any

from bokeh.document import Document

from app.exit_time.cards import FROM_LIVE, LAYOUT, STARTS, TARGETS, ExitFigures, figure_cards, statements
from app.exit_time.result_words import CAPTIONS
from app.exit_time.theory_price import price
from app.extras.lab_file.content import parameter_facts, plain
from app.plots import repaint
from app.state.exit_time import DEFAULT_PRESET, PRESETS, ExitState
from app.widgets.figure_card import CHOSEN_BY_KEYS, FigureView
from app.widgets.page_shell import PURPOSES

SHOWN = ("label", "heads", "row", "segments", "chosen", "stepper", "stepped", "caption", "spoken", "empty", "button",
         "exports", "heights", "filename")
FIGURES = ("paths", "survival", "sums", "square", "plain", "process", "promise", "good")
GLYPHS = ("patches_1", "multi_line_1", "multi_line_2", "segment_1", "scatter_1")


def exit_facts() -> dict[str, Any]:
    """Return the parameters of `ExitState`, its pictures to try, and the page's cards, figures and words."""
    figures = ExitFigures(lambda chain: None)
    cards = figure_cards(figures, {})
    names = {id(getattr(figures, name)): name for name in FIGURES}
    paper = price(None)
    return {
        "parameters": parameter_facts(ExitState), "knobs": list(ExitState.knobs()), "looks": ExitState.looks,
        "starts": [[value, words] for words, value in STARTS.items()],
        "targets": [[value, words] for words, value in TARGETS.items()], "section": FROM_LIVE,
        "default": DEFAULT_PRESET,
        "presets": [{"key": one.key, "label": one.label, "says": one.says, "config": plain(ExitState, one.config) | {
            "adopt": one.config.adopt}} for one in PRESETS.values()],
        "layout": LAYOUT, "purpose": PURPOSES["Exit time"], "captions": CAPTIONS,
        "cards": {name: {key: getattr(cards[name], key) for key in SHOWN}
                  | {"figures": [names[id(view)] for view in cards[name].views]} for name in cards},
        "says": {"title": "More of the paper, checked", "body": statements()},
        "price": {"rows": [list(row) for row in paper.rows], "source": paper.source, "verdict": paper.verdict,
                  "why": paper.why, "choice": "paper", "has_live": False},
        "charts": _charts(figures)}


def _charts(figures: ExitFigures) -> dict[str, Any]:
    """Return the figures, empty, as Bokeh has them: a document, ids of the models that change, and colours by theme."""
    document, models = Document(), {}
    for name in FIGURES:
        view: FigureView = getattr(figures, name)
        figure, handles = view.plot.state, view.plot.handles
        figure.update(min_height=0, sizing_mode="stretch_both")  # its card gives it its height
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
             if isinstance(light, str | list | dict) and light != values[True][one][name]]  # a colour, or what holds some
    return {"document": document.to_json(deferred=False) | {"defs": []}, "models": models, "paint": paint}
