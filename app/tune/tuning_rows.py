"""`TuningRows`: the rows a sweep runs on, with how they were read and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.state.tune import TuneConfig, TuneState
from app.tune.example_streams import EXAMPLES, Example
from app.tune.file_options import FileOptions
from app.tune.file_plan import plan_of, rows_of
from app.tune.kept_files import plain_name, upload_path
from app.user_data import Given
from sampler import DataStream, Settings, Tuned
from sampler.algorithms import online_algorithm
from sampler.streams import StreamReport

FEWEST_ROWS, MOST_ROWS = TuneState.param.rows.bounds
"""Rows of a file that are needed, and that are read: a setting is found on the first of them."""


@dataclass(frozen=True, eq=False)
class TuningRows:
    """A stream's rows, or a gradient with so many terms."""

    source: tuple  #: `TuneConfig.source` it answers
    label: str
    problem: Any
    features: np.ndarray | None  #: (n, d)
    labels: np.ndarray | None  #: (n,)
    length: int  #: rows, or terms of a gradient
    settings: Settings  #: c and the switches
    names: tuple[str, ...] = ()  #: of the coordinates
    model: dict | None = None  #: the [model] table of a tuned setting; None: a problem without a name
    reading: dict | None = None  #: keyword arguments of `DataStream`
    data: dict | None = None  #: name, rows, fingerprint
    report: StreamReport | None = None
    scaled_because: str = ""
    example: Example | None = None

    @property
    def kind(self) -> str:
        """Of the problem: "logistic", "linear", "poisson", "gaussian_mean" or "oracle"."""
        return self.problem.kind

    @property
    def unpreconditioned(self) -> str:
        """Why the preconditioned algorithm is not for this problem, in words; empty where it is."""
        if not online_algorithm("preconditioned").refusal(self.problem):
            return ""
        if self.kind != "oracle":
            return "The preconditioned algorithm needs a prior precision above 0 in every coordinate: its first metric."
        return ("The preconditioned algorithm is not for this: a gradient of your own says nothing of curvature until"
                " GradientOracle has a curvature= or a factor=.")

    def first(self, rows: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """The first rows and their labels; None for a gradient alone."""
        if self.features is None:
            return None, None
        return self.features[:rows], None if self.labels is None else self.labels[:rows]

    @property
    def given(self) -> Given:
        """The same as the other pages take it."""
        return Given(self.label, self.problem, self.features, self.labels,
                     None if self.features is not None else self.length, self.label)


def load(config: TuneConfig, given: Given | None = None) -> TuningRows:
    """Return the rows of a configuration. ValueError in words when they cannot be had."""
    if config.data == "given":
        return _of_given(config, given)
    if config.data.startswith("file-"):
        return _of_file(config)
    example = EXAMPLES[config.data]
    problem, features, labels = example.draw()
    if config.kind and config.kind != example.kind:
        problem = checked(config.kind, labels, example.label).problem(problem.dim)
    names = tuple(f"x{i + 1}" for i in range(problem.dim))
    reading = {"response": "y", "features": list(names), "intercept": False}
    return TuningRows(config.source, example.label, problem, features, labels, len(features), example.settings, names,
                  {"kind": problem.kind}, reading, {"name": example.label.partition(",")[0], "rows": len(features)},
                  None, "", example)


def checked(kind: str, labels: np.ndarray, label: str) -> Tuned:
    """A tuned file's model of this kind, if the response can be that."""
    if kind == "logistic" and not set(np.unique(labels)) <= {0.0, 1.0}:
        raise ValueError(f"logistic regression needs a response of two values; {label} has more")
    if kind == "poisson" and ((labels < 0) | (labels != np.floor(labels))).any():
        raise ValueError(f"Poisson regression needs counts 0, 1, 2, …; {label} has other numbers")
    return Tuned(Settings(), {"kind": kind})


def _of_given(config: TuneConfig, given: Given | None) -> TuningRows:
    if given is None:
        raise ValueError("the problem that was given is gone: give it again, or choose other data")
    named = getattr(given.problem, "named", None)
    oracle = given.problem.kind == "oracle"
    model = {"problem": named[0], **({"terms": given.t} if oracle else {})} if named else None
    if model is None and hasattr(given.problem, "to_dict"):
        model = {k: v for k, v in given.problem.to_dict().items() if k != "dim"}
    names = tuple(f"x{i + 1}" for i in range(given.problem.dim))
    return TuningRows(config.source, given.label, given.problem, given.features, given.labels, given.t, Settings(), names,
                  model, {}, {"name": given.source or given.label, "rows": given.t})


def _of_file(config: TuneConfig) -> TuningRows:
    kept = config.data.removeprefix("file-")
    path = upload_path(kept)
    if path is None:
        raise ValueError(f"{plain_name(kept)} is not kept here any more: choose the file again")
    name = plain_name(kept)
    plan = plan_of((name, path), FileOptions.of(config))
    stream = DataStream((name, path), **plan.keywords)
    features, labels = rows_of(stream, MOST_ROWS)
    report = stream.report()
    if len(features) < FEWEST_ROWS:
        raise ValueError(f"{name} has {len(features)} usable rows; {FEWEST_ROWS} or more are needed to tune"
                         + "".join(f". {words}" for words in report.dropped))
    if report.model == "logistic" and len(np.unique(labels)) < 2:
        raise ValueError(f"all of the first {len(features):,} rows of {name} have the same class: shuffle the rows")
    reading = {**plan.options.stream_keywords(plan.scale), "response": report.response, "features": list(report.features),
               "classes": list(report.classes) if report.classes and stream.positive is None else None,
               "categories": {column: list(levels) for column, levels in report.categories.items()} or None,
               "decimal": "," if stream.decimal == "," else None}
    model = {"kind": stream.model}
    more = "" if len(features) < MOST_ROWS else "the first "
    return TuningRows(config.source, f"{name}, {more}{len(features):,} rows", Tuned(Settings(), model).problem(stream.dim),
                  features, labels, len(features), Settings(), stream.names, model,
                  {k: v for k, v in reading.items() if v is not None},
                  {"name": name, "rows": len(features), "fingerprint": stream.fingerprint}, report, plan.because)
