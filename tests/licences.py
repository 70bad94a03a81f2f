"""Licences of the installed dependencies: ``python -m tests.licences`` prints them and fails if one is not allowed.

Checked are the dependencies of pyproject.toml and of its user extras, including indirect ones.
"""

import re
import sys
import tomllib
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.sources import ROOT

EXTRAS = ("cluster", "postgresql", "arviz", "notebooks", "metrics", "river")
ALLOWED = {
    "MIT", "MIT-0", "MIT-CMU", "BSD", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC", "Apache-2.0", "PSF-2.0", "Zlib",
    "CC0-1.0", "CC-BY-4.0", "HPND", "Unlicense", "MPL-2.0", "LGPL-3.0-only",
}
"""Licences that an MIT project may depend on; the last two require sources of changed files or a replaceable library."""
_WORDS = (
    (r"apache", "Apache-2.0"), (r"mozilla|mpl", "MPL-2.0"), (r"python software|psf", "PSF-2.0"), (r"\bisc\b", "ISC"),
    (r"lesser general|lgpl", "LGPL-3.0-only"), (r"general public|gpl", "GPL"), (r"bsd", "BSD"), (r"\bmit\b", "MIT"),
    (r"historical permission|hpnd", "HPND"),
)
"""Patterns of licence names in free text."""


def licence_of(package: metadata.PackageMetadata) -> str:
    """Return a package's licence as an SPDX expression; "unknown" if it is missing or not listed."""
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
    """Return True if every part of an SPDX expression is allowed; of an OR choice, one must be."""
    parts = re.split(r"\s+AND\s+", re.sub(r"[()]|\s+WITH\s+[\w.-]+", "", expression))
    return all(any(one.strip() in ALLOWED for one in re.split(r"\s+OR\s+", part)) for part in parts)


def dependency_licences() -> dict[str, str]:
    """Return name -> licence of every installed dependency of the project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    queue = [Requirement(line) for line in (*project["dependencies"], *(line for name in EXTRAS for line in extras[name]))]
    licences: dict[str, str] = {}
    while queue:
        requirement = queue.pop()
        name = canonicalize_name(requirement.name)
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # extra not installed
            continue
        if name in licences and not requirement.extras:
            continue
        licences[name] = licence_of(package.metadata)
        for line in package.requires or ():
            needed = Requirement(line)
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)):
                queue.append(needed)
    return dict(sorted(licences.items()))


def main() -> int:
    licences = dependency_licences()
    for name, licence in licences.items():
        print(f"{name:32} {licence}{'' if allowed(licence) else '   NOT ALLOWED'}")
    wrong = [name for name, licence in licences.items() if not allowed(licence)]
    print(f"{len(licences)} packages, " + (f"not allowed: {', '.join(wrong)}" if wrong else "all allowed"))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
