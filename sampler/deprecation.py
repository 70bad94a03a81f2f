"""One release of warning: a name that goes away warns, says what to use instead, and which release will not have it.

@deprecated("exit_bounds", removed_in="0.7.0")              # a function or a class, above its definition
OLD = {"Ground": Deprecation("Ground", "RaceSetup", "0.7.0")}  # a name that a module's ``__getattr__`` still finds

A test fails once the release is reached and the name is still there.
"""

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

DEPRECATIONS: "list[Deprecation]" = []
"""Every deprecation of the modules that have been imported."""


@dataclass(frozen=True)
class Deprecation:
    """A name on its way out; it enters ``DEPRECATIONS`` when it is made.

    Attributes
    ----------
    name, successor : str
        What is used, and what is to be used instead.
    removed_in : str
        ``major.minor.patch`` of the first release without the name, one minor release after the first that warned.
    """

    name: str
    successor: str
    removed_in: str

    def __post_init__(self) -> None:
        release_numbers(self.removed_in)
        DEPRECATIONS.append(self)

    def warn(self, stacklevel: int = 2) -> None:
        """Warn whoever uses the name; ``stacklevel`` as for ``warnings.warn``, 1 being the caller of this method."""
        warnings.warn(f"{self.name} will be removed in release {self.removed_in}; use {self.successor}",
                      DeprecationWarning, stacklevel=stacklevel + 1)

    def overdue(self, version: str) -> bool:
        """Whether release ``version`` must not have the name any more."""
        return release_numbers(version) >= release_numbers(self.removed_in)


def deprecated(successor: str, removed_in: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that warns when it is called, and works as before.

    Parameters
    ----------
    successor : str
        What to use instead.
    removed_in : str
        The first release without it, such as "0.7.0".

    Raises
    ------
    ValueError
        If ``removed_in`` is no release number.
    """
    def mark(function: Callable[P, R]) -> Callable[P, R]:
        due = Deprecation(function.__qualname__, successor, removed_in)

        @functools.wraps(function)
        def warned(*args: P.args, **kwargs: P.kwargs) -> R:
            due.warn(2)
            return function(*args, **kwargs)

        return warned

    return mark


def release_numbers(version: str) -> tuple[int, int, int]:
    """Return ``major.minor.patch`` as numbers, which compare as releases do.

    Raises
    ------
    ValueError
        For anything else.
    """
    parts = version.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise ValueError(f"version must be major.minor.patch, such as '0.7.0', got {version!r}; write all three numbers")
    return int(parts[0]), int(parts[1]), int(parts[2])
