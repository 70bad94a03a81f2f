"""`FileOptions`: how a file becomes rows, as the user chose it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.state.tune import TuneConfig


@dataclass(frozen=True)
class FileOptions:
    """Choices about a file. None, or an empty kind, leaves the choice to the data."""

    kind: str = ""  #: "logistic", "linear", "poisson"
    response: str | None = None  #: column to explain; the last one
    features: tuple[str, ...] | None = None  #: columns to explain it with; all others that hold numbers
    intercept: bool = True  #: add a feature that is always 1
    scale: bool | None = None  #: standardise features as they arrive; where their sizes differ much

    @classmethod
    def of(cls, config: TuneConfig) -> FileOptions:
        """Return the choices in a configuration."""
        return cls(config.kind, config.response, config.features, config.intercept, config.scale)

    def replace(self, **changes: object) -> FileOptions:
        """Return a copy with some choices changed."""
        return replace(self, **changes)

    def stream_keywords(self, scale: bool) -> dict:
        """Return keyword arguments of `DataStream` but the model."""
        columns = {"response": self.response, "features": None if self.features is None else list(self.features)}
        return {**{name: value for name, value in columns.items() if value is not None},
                "intercept": self.intercept, "scale": scale}
