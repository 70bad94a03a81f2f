"""`AlgorithmSettings`: settings with their algorithm; `CellKey`: key of a sweep's cell.

Knobs have other units in each algorithm: the step of SAGA-LD is eta0/(t + c) and its acceptance radius is in the
coordinates' unit over sqrt(t + c); the preconditioned step is eta0, and its radius is in standard deviations.
"""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sampler.algorithms.algorithm_names import PLAIN, stream_algorithm
from sampler.arguments import has_parts
from sampler.settings import Settings, checked_settings

KEYS = ("eta0", "i_max", "batch_size")
"""Knobs that, with the algorithm, identify a cell."""


class CellKey(NamedTuple):
    """Key of a sweep's cell: eta0, i_max, batch_size and algorithm."""

    eta0: float
    i_max: int
    batch_size: int
    algorithm: str = PLAIN


@dataclass(frozen=True)
class AlgorithmSettings(Settings):
    """Settings of an algorithm other than the plain one; create them with `with_algorithm`.

    Attributes
    ----------
    algorithm : str
        Key of ``ONLINE_ALGORITHMS``.
    """

    algorithm: str = PLAIN  # type: ignore[misc]  # no field of plain settings: files and keys omit the default algorithm

    def __post_init__(self) -> None:
        super().__post_init__()
        stream_algorithm(self.algorithm)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of `Settings` as plain values by name, without the algorithm."""
        return {name: value for name, value in asdict(self).items() if name != "algorithm"}


def with_algorithm(settings: Settings, algorithm: str) -> Settings:
    """Return the settings for an algorithm: plain `Settings` for "saga-ld", `AlgorithmSettings` for any other."""
    stream_algorithm(algorithm)
    values: dict[str, Any] = checked_settings(settings).to_dict()
    return Settings(**values) if algorithm == PLAIN else AlgorithmSettings(**values, algorithm=algorithm)


def algorithm_of(what: Any) -> str:
    """Return the algorithm of settings, a cell or a key; "saga-ld" if it has none.

    Parameters
    ----------
    what : Settings, CellResult or CellKey
    """
    return getattr(what, "algorithm", PLAIN)


def key_of(what: Any) -> CellKey:
    """Return the `CellKey` of settings or of a cell.

    Parameters
    ----------
    what : Settings or CellResult
    """
    has_parts("what", what, KEYS, "pass settings, or a cell of a sweep")
    return CellKey(what.eta0, what.i_max, what.batch_size, algorithm_of(what))
