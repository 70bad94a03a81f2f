"""Measured rows of the site's page of benchmarks, stored in one file with their runs."""

import tomllib
from datetime import datetime
from pathlib import Path

import numpy as np
import tomli_w

from sampler.version import VERSION
from tests.benchmarks.timing import Row, number

DATA = Path(__file__).parents[2] / "assets" / "docs" / "benchmarks.toml"
HEAD = "# Written by python -m tests.benchmarks GROUP --write; tables of reference/benchmarks.md are made of it.\n"


def cells(row: Row) -> dict[str, str]:
    """Return the cells of a row on the page: what, measured, target."""
    unit = row.unit if row.unit == "x" else f" {row.unit}"
    spread = f" ({number(row.low)} to {number(row.high)})" if row.low < row.high else ""
    note = f"; {row.note.lstrip(':; ')}" if row.note else ""
    return {"what": row.name, "measured": (number(row.measured) + unit).strip() + spread + note,
            "target": row.target + (", missed" if row.ok is False else "")}


def write(rows: list[Row], about: dict, path: Path = DATA, day: datetime | None = None) -> str:
    """Replace the rows of measured groups in the file, except groups with a skipped row.

    ``about`` is the result of `timing.machine`; return the name of the run.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    partial = {row.group for row in rows if np.isnan(row.measured)}
    measured = [row for row in rows if row.group not in partial]
    run = f"{VERSION}, {day or datetime.now():%Y-%m-%d %H:%M}"
    versions = ", ".join(f"{name} {version}" for name, version in about["packages"].items() if version)
    load = f", load {about['load'][0]:.1f}" if about["load"] else ""
    data["runs"][run] = {"machine": f"{about['cpu']}, {about['cores']} cores{load}",
                         "software": f"Python {about['python']}, {versions}"}
    groups = list(dict.fromkeys([*(row["group"] for row in data["rows"]), *(row.group for row in measured)]))
    replaced = {row.group for row in measured}
    kept = [row for row in data["rows"] if row["group"] not in replaced]
    new = [{"group": row.group, **cells(row), "run": run} for row in measured]
    data["rows"] = sorted([*kept, *new], key=lambda row: groups.index(row["group"]))
    used = {row["run"] for row in data["rows"]}
    data["runs"] = {name: facts for name, facts in data["runs"].items() if name in used}
    path.write_text(HEAD + tomli_w.dumps(data), encoding="utf-8")
    return run
