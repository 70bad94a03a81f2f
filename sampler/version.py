"""The release: the one place of its number, for the package's metadata, the page and every file that is written.

A change of the number is a line in the README's "Changes", and ends the deprecations that are due (`sampler.deprecation`).
"""

VERSION = "0.6.2"
"""Of this release, as ``major.minor.patch``."""

MADE_WITH = f"Exit-Time Lab {VERSION}"
"""What every exported file says of its maker."""
