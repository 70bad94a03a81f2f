"""Streams that are there from the start, each drawn from its seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.state.problem_menu import PROBLEMS
from sampler import (
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    Settings,
    synthetic_logistic,
    synthetic_stream,
)


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
    live: str  #: key of the Live page's problem that has these very rows, or empty
    settings: Settings  #: gives c and the switches
    eta0: tuple[float, float] | None = None
    i_max: tuple[int, int] | None = None
    batches: tuple[int, ...] | None = None
    acceptance_radius: float | None = None
    escape_radius: float | None = None

    def draw(self) -> tuple[object, np.ndarray, np.ndarray]:
        """Return problem, features (T, d) and labels (T,)."""
        problem = {"logistic": LogisticRegression, "linear": LinearRegression, "poisson": PoissonRegression}[self.kind]
        if self.stream == "sparse":
            features, labels, _ = synthetic_logistic(self.rows, self.dim - 1, seed=self.seed)
        else:  # as long as Live's, so that its rows are these
            found = synthetic_stream(self.kind, self.dim, self.stream, seed=self.seed)
            features, labels = found.features[: self.rows].copy(), found.labels[: self.rows].copy()
        return problem(self.dim), features, labels

    def code(self) -> tuple[str, str]:
        """Python that draws these rows, and how the rows and labels are then called."""
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
"""Key -> example. The first is what the page opens on."""
