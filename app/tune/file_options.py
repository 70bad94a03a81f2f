"""`FileOptions`: how a file becomes rows, as the user chose it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.state.tune import TuneConfig


@dataclass(frozen=True)
class FileOptions:
    """Choices about a file. None, or an empty kind, leaves the choice to the data."""

    kind: str = ""  #: "logistic", "linear", "poisson"
    response: str | None = None  #: column to explain; one called y, label, ..., or the last one
    features: tuple[str, ...] | None = None  #: columns to explain it with; all others that hold numbers
    intercept: bool = True  #: add a feature that is always 1
    scale: bool | None = None  #: standardise features as they arrive; where their sizes differ much
    positive: str | None = None  #: value of the response that means 1 where every other means 0

    @classmethod
    def of(cls, config: TuneConfig) -> FileOptions:
        """Return the choices in a configuration."""
        return cls(config.kind, config.response, config.features, config.intercept, config.scale, config.positive)

    def replace(self, **changes: object) -> FileOptions:
        """Return a copy with some choices changed."""
        return replace(self, **changes)

    def stream_keywords(self, scale: bool, categories: Iterable[str] = ()) -> dict:
        """Return keyword arguments of `DataStream` but the model; `categories` are the columns of words it may encode."""
        encoded = [name for name in self.features or () if name in categories]
        columns = {"response": self.response, "features": None if self.features is None else list(self.features),
                   "positive": self.positive, "categories": encoded or None}
        return {**{name: value for name, value in columns.items() if value is not None},
                "intercept": self.intercept, "scale": scale}
