"""Vulnerabilities of the installed packages by pip-audit: ``python -m tests.audit``.

Exits with 1 if a package is vulnerable. Without pip-audit or its database nothing is checked: the output reports it and the
exit code is 0. ``--advisories FOLDER`` reads a copy of PyPA's database instead, without a network: a clone of
https://github.com/pypa/advisory-database or its folder `vulns`.
"""

import argparse
import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

TIMEOUT = 120  # seconds
COMMAND = (sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--skip-editable",
           "--timeout", "10")


def verdict(code: int, output: str, errors: str) -> tuple[int, str]:
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        packages = []
    if not any("vulns" in one for one in packages):  # no database: all were skipped
        why = (errors.strip().splitlines() or [f"exit code {code}"])[-1]
        return 0, (f"audit: NOTHING WAS CHECKED, pip-audit or its database is not available ({why[:200]}); "
                   "--advisories FOLDER reads a copy of PyPA's database")
    lines = [f"{one['name']} {one['version']}: {vuln['id']}, fixed in {', '.join(vuln['fix_versions']) or 'no release yet'}"
             for one in packages for vuln in one.get("vulns", ())]
    skipped = [one["name"] for one in packages if "skip_reason" in one]
    checked = f"audit: {len(packages) - len(skipped)} packages checked, {len(skipped)} not in the database"
    return (1, "\n".join([checked, *lines])) if lines else (0, f"{checked}, no known vulnerability")


def search_advisories(folder: Path, packages: dict[str, str]) -> tuple[int, str]:
    """Return the exit code and a message with the advisories for packages (name -> version).

    The code is 2 if the folder has no advisories.
    """
    home = folder / "vulns" if (folder / "vulns").is_dir() else folder
    files = list(home.glob("*/*.yaml"))
    if not files:
        return 2, f"audit: nothing was checked, {folder} has no advisories (vulns/PACKAGE/*.yaml)"
    advised, newest, looked_up = [], "", {path.parent.name for path in files} & set(packages)
    for path in files:
        advisory = yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        newest = max(newest, str(advisory.get("published", "")))
        name = path.parent.name
        if name in packages and "withdrawn" not in advisory and affects(advisory, packages[name]):
            aliases = ", ".join(advisory.get("aliases", ())) or "no alias"
            advised.append(f"{name} {packages[name]}: {advisory['id']} ({aliases})")
    report = (f"audit: {len(packages)} packages, {len(looked_up)} of which have ever had an advisory, in {len(files):,}"
             f" advisories up to {newest[:10]}; later ones are not included")
    return (1, "\n".join([report, *sorted(advised)])) if advised else (0, f"{report}; none affects an installed version")


def affects(advisory: dict, version: str) -> bool:
    """Return True if the advisory lists this version or has it in a range."""
    return any(version in part.get("versions", ()) or any(_within(span.get("events", ()), version)
               for span in part.get("ranges", ()) if span["type"] == "ECOSYSTEM") for part in advisory.get("affected", ()))


def _within(events: list[dict], version: str) -> bool:
    """Return True if a version is in an OSV range: from `introduced`, to before `fixed` or including `last_affected`."""
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
    return {canonicalize_name(one.metadata["Name"]): one.version for one in metadata.distributions()}


def main(arguments: list[str] | None = None) -> int:
    """Run pip-audit or search a copy of the database, and print the result."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit")
    parser.add_argument("--advisories", type=Path, metavar="FOLDER", help="a clone of github.com/pypa/advisory-database")
    folder = parser.parse_args(arguments).advisories
    if folder is not None:
        code, report = search_advisories(folder, installed())
        print(report)
        return code
    try:
        done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=TIMEOUT)
        code, report = verdict(done.returncode, done.stdout, done.stderr)
    except subprocess.TimeoutExpired:
        code, report = verdict(1, "", f"no answer within {TIMEOUT} s")
    print(report)
    return code


if __name__ == "__main__":
    sys.exit(main())
