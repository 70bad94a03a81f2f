"""Licences of what this project needs, as installed: ``python -m tests.licences`` prints them, and fails on one not allowed.

What is looked at are the dependencies of pyproject.toml and of its extras for users, with all that those need in turn.
"""

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
EXTRAS = ("cluster", "postgresql", "arviz", "notebooks", "metrics", "river")
ALLOWED = {
    "MIT", "MIT-0", "MIT-CMU", "BSD", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC", "Apache-2.0", "PSF-2.0", "Zlib",
    "CC0-1.0", "CC-BY-4.0", "HPND", "Unlicense", "MPL-2.0", "LGPL-3.0-only",
}
"""Licences whose works an MIT project may need: the last two ask for their own changed files or for a library of its own."""
_WORDS = (
    (r"apache", "Apache-2.0"), (r"mozilla|mpl", "MPL-2.0"), (r"python software|psf", "PSF-2.0"), (r"\bisc\b", "ISC"),
    (r"lesser general|lgpl", "LGPL-3.0-only"), (r"general public|gpl", "GPL"), (r"bsd", "BSD"), (r"\bmit\b", "MIT"),
    (r"historical permission|hpnd", "HPND"),
)
"""What licences are called where they are named in free words."""


def licence_of(package: metadata.PackageMetadata) -> str:
    """Return a package's licence as an SPDX expression; "unknown" without one, or for an unlisted one."""
    if package.get("License-Expression"):
        return package["License-Expression"]
    named = [line.rpartition("::")[2] for line in package.get_all("Classifier") or () if line.startswith("License ::")]
    text = (package.get("License") or "").strip()
    short = text.splitlines()[0] if text and len(text.splitlines()[0]) < 100 else ""
    if set(re.split(r" AND | OR ", short)) <= ALLOWED:
        return short
    expression = " AND ".join(sorted({_spdx(name) for name in named if name.strip() != "OSI Approved"}))
    return expression or _spdx(short)


def _spdx(words: str) -> str:
    return next((spdx for pattern, spdx in _WORDS if re.search(pattern, words.lower())), "unknown")


def allowed(expression: str) -> bool:
    """Whether every part of an SPDX expression is allowed, or one of each choice."""
    parts = re.split(r"\s+AND\s+", re.sub(r"[()]|\s+WITH\s+[\w.-]+", "", expression))
    return all(any(one.strip() in ALLOWED for one in re.split(r"\s+OR\s+", part)) for part in parts)


def needed() -> dict[str, str]:
    """Return name -> licence of every package that is installed because this project needs it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    waiting = [Requirement(line) for line in (*project["dependencies"], *(line for name in EXTRAS for line in extras[name]))]
    licences: dict[str, str] = {}
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # of an extra that is not installed
            continue
        if name in licences and not wanted.extras:
            continue
        licences[name] = licence_of(package.metadata)
        for line in package.requires or ():
            more = Requirement(line)
            if more.marker is None or any(more.marker.evaluate({"extra": extra}) for extra in ("", *wanted.extras)):
                waiting.append(more)
    return dict(sorted(licences.items()))


def main() -> int:
    licences = needed()
    for name, licence in licences.items():
        print(f"{name:32} {licence}{'' if allowed(licence) else '   NOT ALLOWED'}")
    wrong = [name for name, licence in licences.items() if not allowed(licence)]
    print(f"{len(licences)} packages, " + (f"not allowed: {', '.join(wrong)}" if wrong else "all allowed"))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
