"""Settings together with the algorithm they are for, and the key a cell of a sweep is found by.

The same number means another thing to each algorithm: SAGA-LD steps by eta0/(t + c) and has its acceptance radius in the
coordinates' own unit over sqrt(t + c); the preconditioned one steps by eta0, and its radius is in standard deviations.
"""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sampler.algorithms.algorithm_names import PLAIN, stream_algorithm
from sampler.arguments import has_parts
from sampler.settings import Settings, checked_settings

KEYS = ("eta0", "i_max", "batch_size")
"""Numbers of settings that, with the algorithm, tell two cells apart."""


class CellKey(NamedTuple):
    """What a cell of a sweep is found by: its eta0, i_max and batch_size, and the algorithm they are for."""

    eta0: float
    i_max: int
    batch_size: int
    algorithm: str = PLAIN


@dataclass(frozen=True)
class AlgorithmSettings(Settings):
    """Settings of another algorithm than the plain one; make them with `with_algorithm`.

    Attributes
    ----------
    algorithm : str
        A name of ``ONLINE_ALGORITHMS``.
    """

    algorithm: str = PLAIN  # type: ignore[misc]  # plain settings have no such field: files and keys name it only where it says more

    def __post_init__(self) -> None:
        super().__post_init__()
        stream_algorithm(self.algorithm)

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name: those of `Settings` alone."""
        return {name: value for name, value in asdict(self).items() if name != "algorithm"}


def with_algorithm(settings: Settings, algorithm: str) -> Settings:
    """Return the settings for an algorithm: plain `Settings` for "saga-ld", `AlgorithmSettings` for any other."""
    stream_algorithm(algorithm)
    values: dict[str, Any] = checked_settings(settings).to_dict()
    return Settings(**values) if algorithm == PLAIN else AlgorithmSettings(**values, algorithm=algorithm)


def algorithm_of(what: Any) -> str:
    """Name of the algorithm of settings, of a cell, or of a key; "saga-ld" where none is named.

    Parameters
    ----------
    what : Settings, dict or key of a cell
    """
    return getattr(what, "algorithm", PLAIN)


def key_of(what: Any) -> CellKey:
    """Return the key of settings or of a cell.

    Parameters
    ----------
    what : Settings or CellResult
    """
    has_parts("what", what, KEYS, "give settings, or a cell of a sweep")
    return CellKey(what.eta0, what.i_max, what.batch_size, algorithm_of(what))
