"""Known vulnerabilities of what is installed: ``python -m tests.audit``, by pip-audit.

Fails where there is one. Where pip-audit is not installed or its database cannot be reached, nothing is checked: the output
says so, and nothing fails. ``--advisories FOLDER`` asks a copy of PyPA's database instead, without a network: a clone of
https://github.com/pypa/advisory-database, or its folder `vulns`.
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

PATIENCE = 120  # seconds
COMMAND = (sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--skip-editable",
           "--timeout", "10")


def verdict(code: int, output: str, errors: str) -> tuple[int, str]:
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        packages = []
    if not any("vulns" in one for one in packages):  # no database: all were skipped
        why = (errors.strip().splitlines() or [f"exit code {code}"])[-1]
        return 0, f"audit: NOTHING WAS CHECKED, since pip-audit or its database was not to be had ({why[:200]}); "\
            "--advisories FOLDER asks a copy of PyPA's"
    holes = [f"{one['name']} {one['version']}: {hole['id']}, fixed in {', '.join(hole['fix_versions']) or 'no release yet'}"
             for one in packages for hole in one.get("vulns", ())]
    skipped = [one["name"] for one in packages if "skip_reason" in one]
    checked = f"audit: {len(packages) - len(skipped)} packages looked up, {len(skipped)} not listed there"
    return (1, "\n".join([checked, *holes])) if holes else (0, f"{checked}, no known vulnerability")


def audited(folder: Path, packages: dict[str, str]) -> tuple[int, str]:
    """Return the exit code and words: the advisories for packages, name -> version.

    A folder without advisories is no audit: the code is 2.
    """
    home = folder / "vulns" if (folder / "vulns").is_dir() else folder
    files = list(home.glob("*/*.yaml"))
    if not files:
        return 2, f"audit: nothing was checked, since {folder} holds no advisories (vulns/PACKAGE/*.yaml)"
    advised, newest, looked_up = [], "", {path.parent.name for path in files} & set(packages)
    for path in files:
        advisory = yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        newest = max(newest, str(advisory.get("published", "")))
        name = path.parent.name
        if name in packages and "withdrawn" not in advisory and concerns(advisory, packages[name]):
            aliases = ", ".join(advisory.get("aliases", ())) or "no alias"
            advised.append(f"{name} {packages[name]}: {advisory['id']} ({aliases})")
    words = (f"audit: {len(packages)} packages, {len(looked_up)} of which have ever had an advisory, in {len(files):,}"
             f" advisories up to {newest[:10]}; later ones are not included")
    return (1, "\n".join([words, *sorted(advised)])) if advised else (0, f"{words}; none concerns an installed version")


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
    return {canonicalize_name(one.metadata["Name"]): one.version for one in metadata.distributions()}


def main(arguments: list[str] | None = None) -> int:
    """Run pip-audit, or look in a copy of the database, and print the result."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit")
    parser.add_argument("--advisories", type=Path, metavar="FOLDER", help="a clone of github.com/pypa/advisory-database")
    folder = parser.parse_args(arguments).advisories
    if folder is not None:
        code, words = audited(folder, installed())
        print(words)
        return code
    try:
        done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=PATIENCE)
        code, words = verdict(done.returncode, done.stdout, done.stderr)
    except subprocess.TimeoutExpired:
        code, words = verdict(1, "", f"no answer within {PATIENCE} s")
    print(words)
    return code


if __name__ == "__main__":
    sys.exit(main())
