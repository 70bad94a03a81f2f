"""Export of a sweep or setting as CSV, JSON, tuned.toml, Python or Live link; `ExportCards`: verdict and export cards."""

import json
import math
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path

import numpy as np

from app.csv_text import csv_rows, result_rows
from app.state.live import LiveState
from app.state.parameters.knob_values import written
from app.state.tune import ALGORITHMS, CellKey
from app.tune import cell_words
from app.tune.figure_cards import WAITING_WORDS
from app.tune.rehearsal import Rehearsal
from app.tune.result import TuneResult
from app.tune.tuning_rows import TuningRows
from app.visit import Visit
from app.widgets.cards import TextCard
from app.widgets.verdict_card import LOOK, button_words
from sampler import Tuned
from sampler.algorithms import online_algorithm
from sampler.production import gates_from, settings_in_python
from sampler.tuning import rivals, sweep_evidence
from sampler.version import MADE_WITH

COLUMNS = ("eta0", "i_max", "batch_size", "acceptance_radius", "algorithm", "state", "rows", "accuracy", "ceiling",
           "ceiling_sd", "predicted", "width", "narrowest", "widest", "lag", "memory", "reset_rate", "exit_rate", "cost",
           "seconds")


def rows_of(result: TuneResult) -> list[dict]:
    """Return the cells of the grid and the advised setting's runs as plain values; None if not measured."""
    cells = []
    for key, forecast in (result.run_forecasts | result.cell_forecasts).items():
        cell = result.cell(key)
        plain = {} if cell is None else cell.to_dict()
        cells.append({**key._asdict(), "acceptance_radius": result.config.radius_of(key.algorithm),
                      "state": result.state(key), "predicted": forecast.accuracy,
                      **{k: _finite(v) for k, v in plain.items() if k in COLUMNS}})
    return cells


def cells_csv(result: TuneResult) -> str:
    """Return the CSV text of `rows_of`, one line per cell."""
    return result_rows(COLUMNS, ([row.get(column) for column in COLUMNS] for row in rows_of(result)))


def everything_json(result: TuneResult, rehearsal: Rehearsal | None) -> str:
    """Return the JSON text of the sweep, the chosen setting and its evidence."""
    key = result.looked_at
    advice = result.forecast.advice
    everything = {"algorithm": key.algorithm, "settings": result.settings(key).to_dict(),
                  "evidence": evidence(result, key, rehearsal),
                  "advice": {"settings": advice.settings.to_dict(), "start": advice.start,
                             "assumptions": list(advice.assumptions)},
                  "data": _data(result), "reading": result.stream.reading, "model": result.stream.model,
                  "chains": result.config.chains, "seed": result.config.seed, "cells": rows_of(result),
                  "made_with": MADE_WITH}
    return json.dumps(everything, indent=1, default=_plain, allow_nan=False)


def evidence(result: TuneResult, key: CellKey, rehearsal: Rehearsal | None) -> dict:
    """Return the evidence of a setting as plain values; None for missing measurements."""
    config, forecast = result.config, result.forecasts[key.algorithm]
    chains, reference = result.judged_by(key)
    tried, ended = (len(result.finished), result.ended) if result.run_of(key) is None else (len(result.runs.cells), "")
    cell = result.cell(key)
    swept = sweep_evidence(result.settings(key), chains, config.rows, forecast.advice, result.cell_forecast(key),
                           cell, tried, ended, reference.get("ess"), forecast.largest_curvature, result.stream.problem.dim)
    if cell is not None and "fits" in reference:
        swept |= rivals.rivals_evidence(rivals.rivals_of(reference), cell.cost, chains)
    return swept | ({} if rehearsal is None else rehearsal.evidence)


def tuned_of(result: TuneResult, key: CellKey, rehearsal: Rehearsal | None) -> Tuned:
    """Return the `Tuned` setting that `python -m sampler replay` reads."""
    stream, config = result.stream, result.config
    more = {} if rehearsal is None else {"gates": gates_from(rehearsal.replay)}
    return Tuned(result.settings(key), stream.model or {}, config.chains, config.seed, stream.reading or {},
                 _data(result) or {}, evidence(result, key, rehearsal), algorithm=key.algorithm, **more)


def _data(result: TuneResult) -> dict | None:
    """Return the record of the data, with the number of rows tuned on; None for none."""
    return result.stream.data and result.stream.data | {"rows": result.config.rows}


def toml(tuned: Tuned) -> str:
    """Return the text of a `tuned.toml`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tuned.toml")
        tuned.save(path)
        return path.read_text(encoding="utf-8")


def python(result: TuneResult, key: CellKey) -> str:
    """Return Python code that runs a setting on its stream; the first line is a comment with the release."""
    stream, config, settings = result.stream, result.config, result.settings(key)
    sampler = online_algorithm(key.algorithm).__name__
    if stream.example is None and (stream.model is None or (not stream.reading and "problem" not in stream.model)):
        rows = "for _ in range(terms):\n    epoch = saga.observe()" if stream.features is None else (
            "for x, y in stream:\n    epoch = saga.observe(x, y)")
        return (f"# {MADE_WITH}\nfrom sampler import {sampler}, Settings\n\nsaga = {sampler}(problem, Settings(\n"
                f"{settings_in_python(settings)}),\n    chains={config.chains}, seed={config.seed})\n"
                f"{rows}    # epoch.samples ~ pi_t\n")
    if stream.example is None:
        return Tuned(settings, stream.model, config.chains, config.seed, stream.reading or {},
                     stream.data or {}, algorithm=key.algorithm).snippet()
    name = type(stream.problem).__name__
    maker = "synthetic_logistic" if stream.example.stream == "sparse" else "synthetic_stream"
    made, rows = stream.example.code()
    broken = "\n    " if len(sampler) > 15 else ""
    return (f"# {MADE_WITH}\nfrom sampler import {sampler}, Settings\nfrom sampler import {name}, {maker}\n{made}\n"
            f"saga = {sampler}({broken}{name}({stream.problem.dim}), Settings(\n{settings_in_python(settings)}),\n"
            f"    chains={config.chains}, seed={config.seed})\n"
            f"for x_t, y_t in {rows}:\n    epoch = saga.observe(x_t, y_t)\n")


def stream_csv(stream: TuningRows) -> str:
    """Return the rows of an example as CSV for the command line, without release column: it would become a feature."""
    return csv_rows([*stream.names, "y"], np.column_stack([stream.features, stream.labels]).tolist())


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: object) -> object:
    return value.item() if hasattr(value, "item") else str(value)


def live_query(result: TuneResult, key: CellKey) -> dict[str, str]:
    """Return URL parameters of the Live page for these rows and this setting."""
    settings, example, knobs = result.settings(key), result.stream.example, LiveState.knobs()
    query = {"eta0": written(settings.eta0), "b": str(settings.batch_size), "imax": str(settings.i_max),
             "C": written(knobs["acceptance_radius"].clamped(settings.acceptance_radius)), "c": written(settings.offset),
             "chains": str(knobs["chains"].clamped(result.config.chains)),
             **({} if key.algorithm == "saga-ld" else {"algorithm": key.algorithm})}
    if example is not None and example.live:
        return {"problem": example.live, "stream": example.stream, "seed": str(example.seed), **query}
    return {"problem": "given", **query}


PRE = "font-size:11.5px;line-height:14px;margin:0 0 6px;padding:7px 9px;max-height:140px"


class ExportCards:
    """Verdict and export cards of the Tune page.

    Parameters
    ----------
    visit
        Receives the data for the Live page.
    rehearsal
        Returns the rehearsal of a cell, or None before it is available.
    suggest
        Called with the change suggested by a verdict, or with the algorithm or cell to select.
    """

    def __init__(self, visit: Visit, rehearsal: Callable[[TuneResult, CellKey], Rehearsal | None],
                 suggest: Callable[[dict], None]) -> None:
        self._visit, self._rehearsal, self._suggest = visit, rehearsal, suggest
        self._shown: tuple[TuneResult, CellKey] | None = None
        self._words: cell_words.CellWords | None = None  #: texts on the displayed cell
        self._unconfirmed: CellKey | None = None  #: cell with a verdict other than safe, whose export needs confirmation
        self.toml_requested = False  #: whether to send a file once the rehearsal is done
        self.verdict = TextCard(self.press, title="Selected cell", announces=True)
        self.code = TextCard(self.press, title="Export")
        self.clear()

    def clear(self) -> None:
        """Display placeholders until the first result."""
        self._shown = self._unconfirmed = None
        self.toml_requested = False
        self.verdict.param.update(heading="Reading the data", look=["wait", "ink2", "chip"], buttons=[],
                                  body="<p>Forecasts come first, then measured cells.</p>")
        self.code.param.update(body=WAITING_WORDS, buttons=[])

    def show(self, result: TuneResult, key: CellKey) -> None:
        """Display a cell."""
        self._shown = result, key
        self._words = words = cell_words.about_cell(result, key, self._rehearsal(result, key))
        if key != self._unconfirmed:
            self._unconfirmed = None
        buttons = [["live", "Run in Live", "play", True]]
        if result.recommended not in (None, key):
            buttons.append(["best", "Back to the recommended setting", "", False])
        if result.taken not in (None, key, result.recommended):
            buttons.append(["runs", "Back to the advised setting", "", False])
        for name in result.forecasts:
            if name != key.algorithm:
                buttons.insert(0, [name, f"Show {ALGORITHMS[name]}", "", False])
        if words.change:
            buttons.insert(0, ["again", button_words(words.change), "", False])
        self.verdict.param.update(heading=words.heading, look=list(LOOK[words.kind]), body=words.body, buttons=buttons)
        cell, predicted = result.cell(key), result.cell_forecast(key)
        cost = cell.cost if cell is not None else predicted.cost
        if self._unconfirmed is not None:
            exports = [["anyway", "Export anyway", "save", True], ["not", "Do not export", "", False]]
            body = (f"<p><b>This setting is not judged safe.</b> {words.judged}</p><p>The file records this verdict:"
                    " <code>python -m sampler replay</code> does not run it without <code>--accept-verdict</code>.</p>")
        else:
            exports = [["toml", "Export tuned.toml", "save", True], ["copy", "Copy Python", "", False]]
            if result.stream.example is not None:
                exports.append(["stream", "Rows, CSV", "save", False])
            body = (f"<pre style='{PRE}'>{escape(python(result, key))}</pre><p class='soft'>Cost: about {cost:,.0f}"
                    " gradients per row and chain, independent of the length of the stream.</p>")
        self.code.param.update(body=body, buttons=exports)

    def press(self, key: str) -> None:
        """Handle a button; there are none before the first result."""
        (result, cell), words = self._shown, self._words
        if key == "live":
            self._visit_live(result, cell)
        elif key == "copy":
            self.code.copy(python(result, cell))
        elif key in ("best", "runs"):
            self._suggest({"cell": result.recommended if key == "best" else result.taken})
        elif key == "stream":
            self.code.save(result.stream.data["name"].replace(" ", "-"), stream_csv(result.stream))
        elif key in ("toml", "anyway", "not"):
            self.toml_requested = key == "anyway" or (key == "toml" and words.kind == "safe")
            self._unconfirmed = cell if key == "toml" and words.kind != "safe" else None
            self.show(result, cell)
        elif key in ALGORITHMS:
            self._suggest({"algorithm": key})
        elif key == "again" and words.change:
            self._suggest(dict(words.change))

    def send_toml(self, running: bool) -> None:
        """Send the requested file with gates from the rehearsal; wait if the rehearsal is ``running``."""
        if not self.toml_requested:
            return
        result, cell = self._shown
        rehearsal = self._rehearsal(result, cell)
        if rehearsal is None and running:
            return
        self.toml_requested = False
        self.code.save("tuned.toml", toml(tuned_of(result, cell, rehearsal)))

    def _visit_live(self, result: TuneResult, cell: CellKey) -> None:
        stream = result.stream
        own = stream.example is None or not stream.example.live
        if own and stream.source[0] != "given":
            self._visit.user_data = stream.user_data
        if self._visit.open_page is not None:
            self._visit.open_page("live", live_query(result, cell))
