"""Known vulnerabilities of what is installed, by a copy of PyPA's advisory database: no network is asked.

The copy is a clone of https://github.com/pypa/advisory-database, or its folder `vulns`.
"""

from importlib import metadata
from pathlib import Path

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version


def audited(folder: Path, packages: dict[str, str]) -> tuple[int, str]:
    """Return the exit code and words: what is known of packages, name -> version.

    A folder without advisories is no audit: the code is 2.
    """
    home = folder / "vulns" if (folder / "vulns").is_dir() else folder
    files = list(home.glob("*/*.yaml"))
    if not files:
        return 2, f"audit: nothing was checked, since {folder} holds no advisories (vulns/PACKAGE/*.yaml)"
    found, newest, looked_up = [], "", {path.parent.name for path in files} & set(packages)
    for path in files:
        advisory = yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        newest = max(newest, str(advisory.get("published", "")))
        name = path.parent.name
        if name in packages and "withdrawn" not in advisory and concerns(advisory, packages[name]):
            aliases = ", ".join(advisory.get("aliases", ())) or "no alias"
            found.append(f"{name} {packages[name]}: {advisory['id']} ({aliases})")
    words = (f"audit: {len(packages)} packages, {len(looked_up)} of which have ever had an advisory, in {len(files):,}"
             f" advisories up to {newest[:10]}; what came later is not known here")
    return (1, "\n".join([words, *sorted(found)])) if found else (0, f"{words}; none concerns an installed version")


def concerns(advisory: dict, version: str) -> bool:
    """Whether an advisory is about this version: it is listed, or lies in a range."""
    return any(version in part.get("versions", ()) or any(_within(span.get("events", ()), version)
               for span in part.get("ranges", ()) if span["type"] == "ECOSYSTEM") for part in advisory.get("affected", ()))


def _within(events: list[dict], version: str) -> bool:
    """Whether a version lies in a range of OSV: from each `introduced` on, up to `fixed` or to `last_affected` with it."""
    try:
        here, inside = Version(version), False
        for kind, at in ((kind, Version(str(at))) for event in events for kind, at in event.items()):
            if kind == "introduced":
                inside = inside or here >= at
            elif kind == "fixed" and here >= at or kind == "last_affected" and here > at:
                inside = False
    except InvalidVersion:
        return False
    return inside


def installed() -> dict[str, str]:
    """Return name -> version of every package of this Python."""
    return {canonicalize_name(one.metadata["Name"]): one.version for one in metadata.distributions()}
