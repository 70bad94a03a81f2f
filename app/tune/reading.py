"""`Reading`: how a file becomes rows, as a person chose it."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Reading:
    """Choices about a file. None leaves the choice to the data."""

    response: str | None = None  #: column to explain; the last one
    features: tuple[str, ...] | None = None  #: columns to explain it with; all others that hold numbers
    intercept: bool = True  #: add a feature that is always 1
    scale: bool | None = None  #: standardise features as they arrive; where their sizes differ much

    def replace(self, **changes: object) -> Reading:
        """Return a copy with some choices changed."""
        return replace(self, **changes)

    def keywords(self, scale: bool) -> dict:
        """Keyword arguments of `DataStream`."""
        given = {"response": self.response, "features": None if self.features is None else list(self.features)}
        return {**{name: value for name, value in given.items() if value is not None},
                "intercept": self.intercept, "scale": scale}
