"""`Loaded`: the rows a sweep runs on, with how they were read and what became of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.tune.cache import plain_name, upload_path
from app.tune.config import LIMITS, TuneConfig
from app.tune.examples import EXAMPLES, Example
from app.tune.reading import Reading
from app.user_data import Given
from sampler import DataStream, Settings, Tuned
from sampler.streams import StreamReport

MOST_ROWS = int(LIMITS["rows"][1])
"""Rows read of a file: a setting is found on the first of them."""
LOOKED_AT = 1000
"""Rows that settle whether to scale and which features never vary."""
UNEQUAL = 10.0
"""Features whose spreads and largest values differ by more than this are standardised unless somebody says no."""
KINDS = {"logistic": "logistic, built in", "linear": "linear, built in", "poisson": "Poisson, built in"}
"""Built-in gradients -> words."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """What was brought."""

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


def load(config: TuneConfig, given: Given | None = None) -> Loaded:
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
    return Loaded(config.source, example.label, problem, features, labels, len(features), example.settings, names,
                  {"kind": problem.kind}, reading, {"name": example.label.partition(",")[0], "rows": len(features)},
                  None, "", example)


def checked(kind: str, labels: np.ndarray, label: str) -> Tuned:
    """A tuned file's model of this kind, if the response can be that."""
    if kind == "logistic" and not set(np.unique(labels)) <= {0.0, 1.0}:
        raise ValueError(f"logistic regression needs a response of two values; {label} has more")
    if kind == "poisson" and ((labels < 0) | (labels != np.floor(labels))).any():
        raise ValueError(f"Poisson regression needs counts 0, 1, 2, …; {label} has other numbers")
    return Tuned(Settings(), {"kind": kind})


def _of_given(config: TuneConfig, given: Given | None) -> Loaded:
    if given is None:
        raise ValueError("the problem that was given is gone: give it again, or choose other data")
    named = getattr(given.problem, "named", None)
    oracle = given.problem.kind == "oracle"
    model = {"problem": named[0], **({"terms": given.t} if oracle else {})} if named else None
    if model is None and hasattr(given.problem, "to_dict"):
        model = {k: v for k, v in given.problem.to_dict().items() if k != "dim"}
    names = tuple(f"x{i + 1}" for i in range(given.problem.dim))
    return Loaded(config.source, given.label, given.problem, given.features, given.labels, given.t, Settings(), names,
                  model, {}, {"name": given.source or given.label, "rows": given.t})


def _of_file(config: TuneConfig) -> Loaded:
    kept = config.data.removeprefix("file-")
    path = upload_path(kept)
    if path is None:
        raise ValueError(f"{plain_name(kept)} is not kept here any more: choose the file again")
    name = plain_name(kept)
    plan = plan_of(str(path), config.kind, config.reading)
    stream = DataStream(str(path), model=plan.kind, **plan.reading.keywords(plan.scale))
    features, labels = rows_of(stream, MOST_ROWS)
    report = stream.report()
    if len(features) < LIMITS["rows"][0]:
        raise ValueError(f"{name} has {len(features)} usable rows; 16 or more are needed to tune"
                         + "".join(f". {words}" for words in report.dropped))
    if report.model == "logistic" and len(np.unique(labels)) < 2:
        raise ValueError(f"all of the first {len(features):,} rows of {name} have the same class: shuffle the rows")
    reading = {**plan.reading.keywords(plan.scale), "response": report.response, "features": list(report.features),
               "classes": list(report.classes) if report.classes else None}
    model = {"kind": stream.model}
    more = "" if len(features) < MOST_ROWS else "the first "
    return Loaded(config.source, f"{name}, {more}{len(features):,} rows", Tuned(Settings(), model).problem(stream.dim),
                  features, labels, len(features), Settings(), stream.names, model,
                  {k: v for k, v in reading.items() if v is not None},
                  {"name": name, "rows": len(features), "fingerprint": stream.fingerprint}, report, plan.because)


@dataclass(frozen=True)
class Plan:
    """How a file will be read, with what was left to the data filled in."""

    kind: str
    reading: Reading
    scale: bool
    because: str  #: why it is scaled, if nobody asked
    constant: tuple[str, ...] = ()  #: features that never vary, left out
    report: StreamReport | None = None  #: of the rows looked at
    columns: tuple[str, ...] = ()  #: features in use


def plan_of(path: str, kind: str, reading: Reading) -> Plan:
    """Look at the first rows and settle model, features and scale. ValueError in words when they cannot be read."""
    stream = DataStream(path, model=kind or "linear", **reading.replace(intercept=False).keywords(False))
    if not kind:
        kind = _kind_of(path, reading)
        stream = DataStream(path, model=kind, **reading.replace(intercept=False).keywords(False))
    features, _ = rows_of(stream, LOOKED_AT)
    report = stream.report()
    size = np.abs(features).max(axis=0, initial=0.0)
    still = (np.ptp(features, axis=0) if len(features) else size) <= 1e-12 * size
    names = report.features
    constant: tuple[str, ...] = ()
    twice = still & (size > 0)  # an intercept of its own; a column of zeros may yet come to life
    if reading.features is None and reading.intercept and len(features) > 1 and twice.any() and not twice.all():
        constant = tuple(name for name, gone in zip(names, twice, strict=True) if gone)
        names = tuple(name for name in names if name not in constant)
        reading = reading.replace(features=names)
    scale, because = bool(reading.scale), ""
    if reading.scale is None and not still.all():
        spread = features[:, ~still].std(axis=0)
        ratio = min(float(size[~still].max() / size[~still].min()), float(spread.max() / spread.min()))
        far = float(size.max())
        scale = ratio > UNEQUAL or far > 100.0
        if scale:
            because = f"one column spreads {ratio:,.0f} times as far as another" if ratio > UNEQUAL else (
                f"a column reaches {far:,.0f}")
    return Plan(kind, replace(reading, scale=reading.scale), scale, because, constant, report, names)


def _kind_of(path: str, reading: Reading) -> str:
    """Logistic for two values, Poisson for counts, else linear."""
    keywords = reading.replace(intercept=False).keywords(False)
    try:
        return DataStream(path, **keywords).model
    except ValueError as wrong:
        if "more than two values" not in str(wrong):
            raise
    _, labels = rows_of(DataStream(path, model="linear", **keywords), LOOKED_AT)
    return "poisson" if len(labels) and (labels >= 0).all() and (labels == np.floor(labels)).all() else "linear"


def rows_of(stream: DataStream, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return up to so many rows (n, d) and labels (n,) of a stream."""
    parts, found = [], 0
    for features, labels in stream:
        parts.append((features[: most - found], labels[: most - found]))
        found += len(parts[-1][0])
        if found >= most:
            break
    if not parts:
        return np.empty((0, stream.dim)), np.empty(0)
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])
