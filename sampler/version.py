"""The release, and the names that go away with one.

The number stands here alone, for the package's metadata, the page and every file that is written. A change of it is a line
in ``assets/docs/CHANGELOG.md``, and ends the deprecations that are due: a test fails once a release is reached and the name
is still there.
"""

import warnings
from dataclasses import dataclass

VERSION = "1.2.0"
"""Of this release, as ``major.minor.patch``."""

MADE_WITH = f"Exit-Time Lab {VERSION}"
"""What every exported file says of its maker."""

DEPRECATIONS: "list[Deprecation]" = []
"""Every deprecation of the modules that have been imported."""


@dataclass(frozen=True)
class Deprecation:
    """A name on its way out, which a module's ``__getattr__`` still finds; it enters ``DEPRECATIONS`` when it is made.

    Attributes
    ----------
    name, successor : str
        What is used, and what is to be used instead.
    removed_in : str
        ``major.minor.patch`` of the first release without the name, the next major one.
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


def release_numbers(version: str) -> tuple[int, int, int]:
    """Return ``major.minor.patch`` as numbers, which compare as releases do; ValueError for anything else."""
    parts = version.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise ValueError(f"version must be major.minor.patch, such as '0.7.0', got {version!r}; write all three numbers")
    return int(parts[0]), int(parts[1]), int(parts[2])
