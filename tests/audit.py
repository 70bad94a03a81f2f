"""Known vulnerabilities of what is installed: ``python -m tests.audit``, by pip-audit.

Fails where one is known. Where pip-audit is not installed or its database cannot be reached, nothing is checked: that is
said, and nothing fails. ``--advisories FOLDER`` asks a copy of PyPA's database instead, without a network.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from tests.advisories import audited, installed

PATIENCE = 120  # seconds
COMMAND = (sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--skip-editable",
           "--timeout", "10")


def verdict(code: int, output: str, errors: str) -> tuple[int, str]:
    """Return the exit code and words for what pip-audit gave."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        packages = []
    if not any("vulns" in one for one in packages):  # no database: all were skipped
        why = (errors.strip().splitlines() or [f"exit code {code}"])[-1]
        return 0, f"audit: NOTHING WAS CHECKED, since pip-audit or its database was not to be had ({why[:200]}); "\
            "--advisories FOLDER asks a copy of PyPA's"
    known = [f"{one['name']} {one['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no release yet'}"
             for one in packages for hole in one.get("vulns", ())]
    skipped = [one["name"] for one in packages if "skip_reason" in one]
    checked = f"audit: {len(packages) - len(skipped)} packages looked up, {len(skipped)} not known there"
    return (1, "\n".join([checked, *known])) if known else (0, f"{checked}, no known vulnerability")


def main(arguments: list[str] | None = None) -> int:
    """Run pip-audit, or look in a copy of the database, and say what was found."""
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
