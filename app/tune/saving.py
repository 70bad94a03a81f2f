"""What a person takes away: a table, everything as JSON, `tuned.toml`, and Python that runs."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import tempfile

import numpy as np

from app.tune.data import Loaded
from app.tune.picture import Key, TunePicture
from app.tune.watching import Watched
from sampler import Settings, Tuned
from sampler.production import settings_in_python
from sampler.tuning import CellResult, verdict_of

COLUMNS = ("eta0", "i_max", "batch_size", "acceptance_radius", "state", "rows", "accuracy", "ceiling", "ceiling_sd",
           "predicted", "width", "lag", "memory", "reset_rate", "exit_rate", "cost", "seconds")


def settings_of(picture: TunePicture, key: Key) -> Settings:
    """All knobs of a cell."""
    eta0, i_max, batch = key
    return picture.loaded.settings.replace(eta0=eta0, i_max=i_max, batch_size=batch,
                                           acceptance_radius=picture.config.acceptance_radius)


def rows_of(picture: TunePicture) -> list[dict]:
    """Every cell of the grid as plain values, what is not measured as None."""
    found = []
    for key, said in picture.foresight.cells.items():
        cell = picture.cell(key)
        plain = {} if cell is None else cell.to_dict()
        found.append({**dict(zip(("eta0", "i_max", "batch_size"), key, strict=True)),
                      "acceptance_radius": picture.config.acceptance_radius, "state": picture.state(key),
                      "predicted": said.accuracy, **{k: _finite(v) for k, v in plain.items() if k in COLUMNS}})
    return found


def cells_csv(picture: TunePicture | None) -> str:
    """One line a cell."""
    if picture is None:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows_of(picture))
    return out.getvalue()


def everything_json(picture: TunePicture, watched: Watched | None) -> str:
    """The sweep, the chosen setting and its evidence."""
    key = picture.looked_at
    found = {"settings": settings_of(picture, key).to_dict(), "evidence": evidence(picture, key, watched),
             "advice": {"settings": picture.foresight.advice.settings.to_dict(),
                        "start": picture.foresight.advice.start,
                        "assumptions": list(picture.foresight.advice.assumptions)},
             "data": picture.loaded.data, "reading": picture.loaded.reading, "model": picture.loaded.model,
             "chains": picture.config.chains, "seed": picture.config.seed, "cells": rows_of(picture)}
    return json.dumps(found, indent=1, default=_plain, allow_nan=False)


def evidence(picture: TunePicture, key: Key, watched: Watched | None) -> dict:
    """Measurements that speak for a setting; None where there is none."""
    cell, said, advice = picture.cell(key), picture.forecast(key), picture.foresight.advice
    found = {"predicted": said.accuracy, "advised_eta0": advice.settings.eta0,
             "largest_curvature_a_row": advice.curvature, "settings_tried": len(picture.finished),
             "chains": picture.config.chains, "rows": picture.config.rows}
    if cell is not None:
        verdict = verdict_of(cell, picture.loaded.settings, picture.config.chains, said)
        found |= {"accuracy": cell.accuracy, "ceiling": cell.ceiling, "width": cell.width, "memory": cell.memory,
                  "lag": cell.lag, "reset_rate": cell.reset_rate, "gradients_an_epoch": cell.cost,
                  "verdict": verdict.kind, "verdict_words": verdict.sentence}
    if watched is not None:
        found |= {"predictive_score": watched.mean_score, "calibration_error": watched.calibration_error,
                  "rhat": watched.rhat, "ess": watched.ess, "drift_alarms": len(watched.drifts)}
    return {k: _finite(v) for k, v in found.items()}


def tuned_of(picture: TunePicture, key: Key, watched: Watched | None) -> Tuned:
    """Everything `python -m sampler replay` needs."""
    loaded, config = picture.loaded, picture.config
    more = {} if watched is None else {"gates": watched.gates}
    return Tuned(settings_of(picture, key), loaded.model or {}, config.chains, config.seed, loaded.reading or {},
                 loaded.data or {}, evidence(picture, key, watched), **more)


def toml(tuned: Tuned) -> str:
    """The text of a `tuned.toml`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tuned.toml")
        tuned.save(path)
        with open(path, encoding="utf-8") as file:
            return file.read()


def python(picture: TunePicture, key: Key) -> str:
    """Python that runs a setting on its stream, as it stands."""
    loaded, config, settings = picture.loaded, picture.config, settings_of(picture, key)
    if loaded.example is None and (loaded.model is None or (not loaded.reading and "problem" not in loaded.model)):
        return _on_the_persons_own(loaded, config.chains, config.seed, settings)
    if loaded.example is None:
        return Tuned(settings, loaded.model, config.chains, config.seed, loaded.reading or {},
                     loaded.data or {}).snippet()
    name = type(loaded.problem).__name__
    maker = "synthetic_logistic" if loaded.example.stream == "sparse" else "synthetic_stream"
    made, rows = loaded.example.code()
    return (f"from sampler import {name}, OnlineSagaLD\nfrom sampler import Settings, {maker}\n{made}\n"
            f"saga = OnlineSagaLD({name}({loaded.problem.dim}), Settings(\n{settings_in_python(settings)}),\n"
            f"    chains={config.chains}, seed={config.seed})\n"
            f"for x_t, y_t in {rows}:\n    epoch = saga.observe(x_t, y_t)\n")


def _on_the_persons_own(loaded: Loaded, chains: int, seed: int, settings: Settings) -> str:
    rows = "for _ in range(terms):\n    epoch = saga.observe()" if loaded.features is None else (
        "for x, y in stream:\n    epoch = saga.observe(x, y)")
    return (f"from sampler import OnlineSagaLD, Settings\n\nsaga = OnlineSagaLD(problem, Settings(\n"
            f"{settings_in_python(settings)}),\n    chains={chains}, seed={seed})\n{rows}    # epoch.samples ~ pi_t\n")


def stream_csv(loaded: Loaded) -> str:
    """An example's rows, as a file to try the command line on."""
    rows = np.column_stack([loaded.features, loaded.labels])
    lines = [",".join([*loaded.names, "y"])]
    lines += [",".join(f"{value:.17g}" for value in row) for row in rows.tolist()]
    return "\n".join(lines) + "\n"


def seconds_of(cells: dict[Key, CellResult]) -> float:
    """Core seconds that the cells took."""
    return math.fsum(cell.seconds for cell in cells.values())


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: object) -> object:
    return value.item() if hasattr(value, "item") else str(value)
