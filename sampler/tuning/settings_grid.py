"""`Grid`: settings of a sweep; `above`, `below`, `nearest`: round numbers for suggestions."""

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN, online_algorithm
from sampler.arguments import real_number, shown, whole_number
from sampler.settings import checked_number

_ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
MOST_STEPS = 2000
"""Largest i_max in a suggestion."""


def below(value: float) -> float:
    """Return the largest round number (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten) up to a positive value."""
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    digit = max(digit for digit in _ROUND if digit * power <= value * (1 + 1e-9))
    return float(f"{digit * power:.6g}")


def above(value: float) -> float:
    """Return the smallest round number not below a positive value."""
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    digit = min(digit for digit in _ROUND if digit * power >= value * (1 - 1e-9))
    return float(f"{digit * power:.6g}")


def nearest(value: float) -> float:
    """Return the round number nearest to a positive value on a logarithmic scale."""
    low, high = below(value), above(value)
    return low if value * value < low * high else high


def whole_steps(value: float) -> int:
    """Return a round number of steps per epoch not below the value, at most MOST_STEPS."""
    return int(min(MOST_STEPS, math.ceil(above(max(value, 1.0)))))


KNOBS = ("eta0", "i_max", "batch_size", "acceptance_radius")

MOST_VALUES = 100_000


@dataclass(frozen=True)
class Grid:
    """Values of each knob, ascending; a single value is not swept.

    Attributes
    ----------
    eta0, i_max, batch_size, acceptance_radius : tuples
    algorithm : {"saga-ld", "preconditioned"}
        Algorithm of the knobs.

    Raises
    ------
    ValueError
        For a value out of range or an unknown algorithm.
    """

    eta0: tuple[float, ...]
    i_max: tuple[int, ...]
    batch_size: tuple[int, ...]
    acceptance_radius: tuple[float, ...]
    algorithm: str = PLAIN

    def __post_init__(self) -> None:
        online_algorithm(self.algorithm)
        for name in KNOBS:
            values = getattr(self, name)
            several = values if isinstance(values, tuple | list) else np.atleast_1d(values).tolist()
            values = tuple(sorted({checked_number(name, value) for value in several}))
            if not values:
                raise ValueError(f"{name} must have at least one value, got {shown(values)}; (0.1, 1.0) are two")
            object.__setattr__(self, name, values)

    @property
    def cells(self) -> list[dict[str, Any]]:
        """All combinations, each a dict of knob -> value."""
        return [dict(zip(KNOBS, values, strict=True))
                for values in itertools.product(*(getattr(self, name) for name in KNOBS))]

    def distributions(self, kinds: Any) -> dict[str, Any]:
        """Return Optuna's search space: the range of each swept knob, on a logarithmic scale.

        Parameters
        ----------
        kinds : module ``optuna.distributions``
        """
        space = {}
        for name in KNOBS:
            values = getattr(self, name)
            kind = kinds.IntDistribution if name in ("i_max", "batch_size") else kinds.FloatDistribution
            if len(values) > 1 and np.isfinite(values[-1]):
                space[optuna_name(name, self.algorithm)] = kind(values[0], values[-1], log=True)
        return space


def optuna_name(knob: str, algorithm: str) -> str:
    """Return the Optuna parameter of a knob; each algorithm has its own parameters."""
    return knob if algorithm == PLAIN else f"{algorithm} {knob}"


def setting_key(what: Any) -> tuple[Any, ...]:
    """Return algorithm and knobs of settings or of a cell, which identify it within a sweep."""
    return what.algorithm, *(getattr(what, knob) for knob in KNOBS)


def spaced(low: float, high: float, count: int, whole: bool = False) -> tuple[Any, ...]:
    """Return ``count`` values from low to high, evenly spaced on a logarithmic scale; distinct integers if ``whole``."""
    advice = "a range has 0 < low <= high"
    low = real_number("low", low, advice, above=0.0)
    high = real_number("high", high, advice, least=low)
    count = whole_number("count", count, 1, MOST_VALUES, "pass the number of values")
    values = np.geomspace(low, high, count)
    if whole:
        return tuple(sorted({int(round(v)) for v in values}))
    return tuple(float(f"{v:.3g}") for v in values)


def around(value: float, factors: tuple[float, ...], whole: bool = False) -> tuple[Any, ...]:
    """Return the round numbers nearest to multiples of a value, ascending.

    Parameters
    ----------
    value : float > 0
    factors : tuple or list of float > 0
    whole : bool
        Round to integers, at least 1.

    Raises
    ------
    ValueError
        For factors that are not a tuple or list of numbers above 0, and for products that overflow.
    """
    if not isinstance(factors, tuple | list):
        raise ValueError(f"factors must be a tuple of numbers above 0, got {shown(factors)}; (0.5, 1, 2) is one")
    value = real_number("value", value, "the factors multiply it", above=0.0)
    factors = tuple(real_number("factors", factor, "pass numbers above 0", above=0.0) for factor in factors)
    rounded = {nearest(real_number("value times each of the factors", value * factor, "both are above 0", above=0.0))
             for factor in factors}
    return tuple(sorted({max(1, round(v)) for v in rounded} if whole else rounded))


def parse_values(name: str, text: str | None) -> tuple[Any, ...] | None:
    """Parse ``0.1,0.3,1`` or ``low:high:count`` into values; None for None."""
    if text is None:
        return None
    whole = name in ("i_max", "batch")
    try:
        if ":" in text:
            low, high, count = text.split(":")
            return spaced(float(low), float(high), int(count), whole)
        return tuple(int(part) if whole else float(part) for part in text.split(","))
    except ValueError as error:
        raise ValueError(f"{name} must be values 0.1,0.3,1 or a range low:high:count, got {text!r} ({error})") from None
