"""`TuningRows`: rows of a sweep and how they were read; `EXAMPLES`: the built-in streams."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from app.state.live_menu import PROBLEMS
from app.state.tune import CHOICES, TuneConfig
from app.state.user_data import UserData
from app.tune.file_plan import FEWEST_ROWS, MOST_ROWS, plan_of, rows_of, source_of
from app.visit import Visit
from sampler import DataStream, Settings, Tuned, synthetic_logistic, synthetic_stream
from sampler.algorithms import online_algorithm


@dataclass(frozen=True)
class Example:
    """One entry of the data menu."""

    key: str
    label: str
    kind: str
    dim: int
    rows: int
    stream: str  #: as in `synthetic_stream`
    seed: int
    live: str  #: key of the Live page's problem with the same rows, or empty
    settings: Settings  #: source of c and the switches
    eta0: tuple[float, float] | None = None
    i_max: tuple[int, int] | None = None
    batches: tuple[int, ...] | None = None
    acceptance_radius: float | None = None
    escape_radius: float | None = None

    def draw(self) -> tuple[object, np.ndarray, np.ndarray]:
        """Return problem, features (T, d) and labels (T,)."""
        if self.stream == "sparse":
            features, labels, _ = synthetic_logistic(self.rows, self.dim - 1, seed=self.seed)
        else:  # generate as many rows as Live, so that they are equal
            generated = synthetic_stream(self.kind, self.dim, self.stream, seed=self.seed)
            features, labels = generated.features[: self.rows].copy(), generated.labels[: self.rows].copy()
        return Tuned(Settings(), {"kind": self.kind}).problem(self.dim), features, labels

    def code(self) -> tuple[str, str]:
        """Return Python code that draws these rows, and the expression that iterates over rows and labels."""
        if self.stream == "sparse":
            return (f"x, y, _ = synthetic_logistic({self.rows}, {self.dim - 1}, seed={self.seed})", "zip(x, y)")
        kind = f'"{self.kind}", {self.dim}' + ("" if self.stream == "paper" else f', "{self.stream}"')
        return f"made = synthetic_stream({kind}, seed={self.seed})", "zip(made.features, made.labels)"


def _live(key: str, label: str, rows: int, stream: str = "paper", **more: object) -> Example:
    problem = PROBLEMS[key]
    return Example(f"{key}" if stream == "paper" else f"{key}-{stream}", label, key.rstrip("0123456789"), problem.dim,
                   rows, stream, problem.seed, key, problem.settings, escape_radius=problem.escape_radius, **more)


EXAMPLES: dict[str, Example] = {example.key: example for example in (
    _live("logistic2", "stream.csv, 512 rows", 512, eta0=(1 / 30, 30.0), i_max=(5, 800), batches=(9,),
          acceptance_radius=22.0),
    Example("paper21", "the paper's, 1,000 rows, d = 21", "logistic", 21, 1000, "sparse", 0, "", Settings()),
    _live("linear2", "linear.csv, 512 rows", 512),
    _live("poisson2", "counts.csv, 512 rows", 512),
    _live("logistic2", "drifting.csv, 1,000 rows", 1000, "drifting"),
)}
"""Key -> example; the first is the page's default."""


@dataclass(frozen=True, eq=False)
class TuningRows:
    """Rows of a stream, or a gradient with a number of terms."""

    source: tuple  #: `TuneConfig.source` from which it was loaded
    label: str
    problem: Any
    features: np.ndarray | None  #: (n, d)
    labels: np.ndarray | None  #: (n,)
    length: int  #: number of rows, or of terms of a gradient
    settings: Settings  #: source of c and the switches
    names: tuple[str, ...] = ()  #: names of the coordinates
    model: dict | None = None  #: [model] table of a tuned setting; None for a problem without a name
    reading: dict | None = None  #: keyword arguments of `DataStream`
    data: dict | None = None  #: name, rows, fingerprint
    example: Example | None = None

    @property
    def kind(self) -> str:
        """Kind of problem: "logistic", "linear", "poisson", "gaussian_mean" or "oracle"."""
        return self.problem.kind

    @property
    def unpreconditioned(self) -> str:
        """Reason why the preconditioned algorithm does not support this problem; empty if it does."""
        if not online_algorithm("preconditioned").refusal(self.problem):
            return ""
        if self.kind != "oracle":
            return "The preconditioned algorithm needs a prior precision above 0 in every coordinate as its first metric."
        return ("The preconditioned algorithm needs curvature: pass curvature= or factor= to the GradientOracle of this"
                " problem.")

    def first(self, rows: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return the first rows and their labels; (None, None) for a gradient without rows."""
        if self.features is None:
            return None, None
        return self.features[:rows], None if self.labels is None else self.labels[:rows]

    @cached_property
    def user_data(self) -> UserData:
        """The same data as `UserData` for the other pages."""
        return UserData(self.label, self.problem, self.features, self.labels,
                        None if self.features is not None else self.length, self.label)


def load(config: TuneConfig, user_data: UserData | None = None) -> TuningRows:
    """Return the rows of a configuration; raise a ValueError if they cannot be loaded."""
    if config.data == "given":
        return _rows_of(config, user_data)
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
                  example)


def offer(visit: Visit, config: TuneConfig, stream: TuningRows) -> None:
    """Offer a file's rows and the file itself to the other pages of a visit."""
    if config.data.startswith("file-") and visit.user_data is not stream.user_data:
        choices = {name: getattr(config, name) for name in ("data", *CHOICES)}
        visit.user_data, visit.file = stream.user_data, (*source_of(config), choices)


def checked(kind: str, labels: np.ndarray, label: str) -> Tuned:
    """Return a `Tuned` with a model of this kind; raise a ValueError if the response does not fit it."""
    if kind == "logistic" and not set(np.unique(labels)) <= {0.0, 1.0}:
        raise ValueError(f"logistic regression needs a response of two values; {label} has more")
    if kind == "poisson" and ((labels < 0) | (labels != np.floor(labels))).any():
        raise ValueError(f"Poisson regression needs counts 0, 1, 2, …; {label} has other numbers")
    return Tuned(Settings(), {"kind": kind})


def _rows_of(config: TuneConfig, data: UserData | None) -> TuningRows:
    if data is None:
        raise ValueError("the problem passed from Python is no longer available: pass it again, or choose other data")
    named = getattr(data.problem, "named", None)
    oracle = data.problem.kind == "oracle"
    model = {"problem": named[0], **({"terms": data.t} if oracle else {})} if named else None
    if model is None and hasattr(data.problem, "to_dict"):
        model = {k: v for k, v in data.problem.to_dict().items() if k != "dim"}
    names = tuple(f"x{i + 1}" for i in range(data.problem.dim))
    return TuningRows(config.source, data.label, data.problem, data.features, data.labels, data.t, Settings(), names,
                  model, {}, {"name": data.source or data.label, "rows": data.t})


def _of_file(config: TuneConfig) -> TuningRows:
    plan = plan_of(config)
    name, stream = plan.source[0], DataStream(plan.source, **plan.keywords)
    features, labels = rows_of(stream, MOST_ROWS)
    report = stream.report()
    if len(features) < FEWEST_ROWS:
        raise ValueError(f"{name} has {len(features)} usable rows; {FEWEST_ROWS} or more are needed to tune"
                         + "".join(f". {words}" for words in report.dropped))
    if report.model == "logistic" and len(np.unique(labels)) < 2:
        raise ValueError(f"all of the first {len(features):,} rows of {name} have the same class: shuffle the rows")
    reading = {**plan.reading, "response": report.response, "features": list(report.features),
               "classes": list(report.classes) if report.classes and stream.positive is None else None,
               "categories": {column: list(levels) for column, levels in report.categories.items()} or None,
               "decimal": "," if stream.decimal == "," else None}
    model = {"kind": stream.model}
    more = "" if len(features) < MOST_ROWS else "the first "
    return TuningRows(config.source, f"{name}, {more}{len(features):,} rows", Tuned(Settings(), model).problem(stream.dim),
                  features, labels, len(features), Settings(), stream.names, model,
                  {k: v for k, v in reading.items() if v is not None},
                  {"name": name, "rows": len(features), "fingerprint": stream.fingerprint})
