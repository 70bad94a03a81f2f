"""Default configuration of a sweep, and the sweeps shipped with the app."""

import json
from pathlib import Path

from app.shipped_json import plain
from app.state.tune import TuneConfig
from app.tune.result import StreamForecasts
from app.tune.tuning_rows import TuningRows
from sampler.tuning import CellResult, SweepOutcome, core_seconds, with_algorithm

CHAINS = (64, 32, 16)
BUDGET = 160.0
"""Core seconds allowed for a default sweep; the number of chains is reduced to meet it."""
WIDEST = 1.6
"""Largest swept step size in whitened coordinates; 2 is unstable."""


def settled(config: TuneConfig, stream: TuningRows, forecasts: StreamForecasts, rows: int) -> TuneConfig:
    """Return a configuration with all options set, and as many chains as `BUDGET` allows.

    If both algorithms are swept, lengths and batches cover those of both.
    """
    example = stream.example
    advices = {name: forecasts.of(name)[1].settings for name in config.algorithms}
    advised = forecasts.of("saga-ld")[1].settings
    own = {"saga-ld": example}  #: source of lengths and batches other than those around the advised
    i_max = [getattr(own.get(name), "i_max", None) or _lengths(one.i_max) for name, one in advices.items()]
    batches = [getattr(own.get(name), "batches", None) or (one.batch_size,) for name, one in advices.items()]
    ranges = {"eta0": getattr(example, "eta0", None) or _decades(advised.eta0),
              "i_max": (min(low for low, _ in i_max), max(high for _, high in i_max)),
              "batches": tuple(sorted({b for some in batches for b in some})),
              "acceptance_radius": getattr(example, "acceptance_radius", None) or advised.acceptance_radius}
    if "preconditioned" in advices:
        whitened = advices["preconditioned"]
        low, high = _decades(whitened.eta0)
        ranges |= {"whitened_eta0": (low, min(high, WIDEST)), "whitened_radius": whitened.acceptance_radius}
    config = config.replace(rows=rows, **{name: getattr(config, name) or value for name, value in ranges.items()})
    if config.chains is None:
        few = [k for k in CHAINS if sweep_seconds(config.replace(chains=k), stream) <= BUDGET]
        config = config.replace(chains=CHAINS[0] if example is not None else few[0] if few else CHAINS[-1])
    return config


def _decades(value: float) -> tuple[float, float]:
    """Return the range from a tenth of an advised step to ten times it."""
    return float(f"{value / 10:.3g}"), float(f"{value * 10:.3g}")


def _lengths(advised: int) -> tuple[int, int]:
    """Return the range of i_max around the advised value."""
    return max(1, round(advised / 10)), min(5000, max(2, 2 * advised))


def sweep_seconds(config: TuneConfig, stream: TuningRows) -> float:
    """Return the approximate core seconds of a sweep; pruning saves about the cost of the earlier rungs."""
    base, dim = stream.settings, stream.problem.dim
    return sum(core_seconds(with_algorithm(base.replace(**cell), grid.algorithm), dim, config.rows, config.chains)
               for grid in config.grids for cell in grid.cells)


FOLDER = Path(__file__).parent / "shipped"


def shipped_sweep(identity: dict) -> SweepOutcome | None:
    """Return the shipped sweep with this `Sweep.identity`, without its best cell; None if there is none."""
    wanted = json.loads(json.dumps(identity))
    for path in sorted(FOLDER.glob("*.json")):
        shipped = json.loads(path.read_text(encoding="utf-8"))
        if shipped["identity"] == wanted:
            cells = [CellResult.from_json(dict(zip(shipped["columns"], row, strict=True))) for row in shipped["cells"]]
            return SweepOutcome(cells, None, "finished", shipped["seconds"], shipped["reference"])
    return None


def write_shipped(name: str, identity: dict, outcome: SweepOutcome) -> Path:
    """Write a finished sweep to the folder of shipped sweeps, one line per cell, numbers to six digits."""
    rows = [plain(cell.to_json()) for cell in outcome.cells]
    head = {"identity": identity, "reference": outcome.reference, "seconds": round(outcome.seconds, 1),
            "columns": list(rows[0])}
    lines = ",\n".join(json.dumps(list(row.values()), separators=(",", ":")) for row in rows)
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps(head, separators=(",", ":"))[:-1] + f',"cells":[\n{lines}\n]}}\n', encoding="utf-8")
    return path
