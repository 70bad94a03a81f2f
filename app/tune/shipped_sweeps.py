"""Sweeps that come with the app, so that the page has something to show before anybody has swept."""

from __future__ import annotations

import json
from pathlib import Path

from sampler.tuning import CellResult, SweepOutcome, best_cell

FOLDER = Path(__file__).parent / "shipped"


def shipped_sweep(identity: dict) -> SweepOutcome | None:
    """Return the sweep that these plain values define (`Sweep.identity`), or None where none is shipped."""
    wanted = json.loads(json.dumps(identity))
    for path in sorted(FOLDER.glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["identity"] == wanted:
            cells = [CellResult.from_json(dict(zip(kept["columns"], row, strict=True))) for row in kept["cells"]]
            best = best_cell(cells, len(wanted["rows"]) - 1, wanted["chains"], wanted["model"]["dim"],
                             (kept["reference"] or {}).get("ess"))
            return SweepOutcome(cells, best, "finished", kept["seconds"], kept["reference"])
    return None


def write_shipped(name: str, identity: dict, outcome: SweepOutcome) -> Path:
    """Write a finished sweep to the folder of those that are shipped: one line a cell, numbers to six digits."""
    rows = [{column: _short(value) for column, value in cell.to_json().items()} for cell in outcome.cells]
    head = {"identity": identity, "reference": outcome.reference, "seconds": round(outcome.seconds, 1),
            "columns": list(rows[0])}
    lines = ",\n".join(json.dumps(list(row.values()), separators=(",", ":")) for row in rows)
    path = FOLDER / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(head, separators=(",", ":"))[:-1] + f',"cells":[\n{lines}\n]}}\n', encoding="utf-8")
    return path


def _short(value: object) -> object:
    return float(f"{value:.6g}") if isinstance(value, float) else value
