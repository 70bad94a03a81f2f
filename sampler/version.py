"""Version of this release, and deprecated names.

This is the only place of the version number, for the package's metadata, the page and all files written. A new version
requires a line in ``assets/docs/CHANGELOG.md`` and the removal of names with a due deprecation: a test fails if a name still
exists in the release that removes it.
"""

import warnings
from dataclasses import dataclass

VERSION = "1.2.0"
"""Version of this release, ``major.minor.patch``."""

MADE_WITH = f"Exit-Time Lab {VERSION}"
"""Name of the program in exported files."""

DEPRECATIONS: "list[Deprecation]" = []
"""All deprecations of imported modules."""


@dataclass(frozen=True)
class Deprecation:
    """Deprecated name, still resolved by a module's ``__getattr__``; each instance is added to ``DEPRECATIONS``.

    Attributes
    ----------
    name, successor : str
        Deprecated name and its replacement.
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
        """Emit a DeprecationWarning; ``stacklevel`` as for ``warnings.warn``, 1 being the caller of this method."""
        warnings.warn(f"{self.name} will be removed in release {self.removed_in}; use {self.successor}",
                      DeprecationWarning, stacklevel=stacklevel + 1)


def release_numbers(version: str) -> tuple[int, int, int]:
    """Return the numbers of ``version``, ``major.minor.patch``, for comparison; ValueError for another format."""
    parts = version.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise ValueError(f"version must be major.minor.patch, such as '0.7.0', got {version!r}; write all three numbers")
    return int(parts[0]), int(parts[1]), int(parts[2])
