"""What a sweep runs on where the user chose nothing: the example's ranges, else ranges round the advised start."""

from __future__ import annotations

from app.state.tune import TuneConfig
from app.tune.tuning_rows import TuningRows
from sampler.tuning import Advice

ROWS = (1000, 500)
"""Rows to tune on: the second when a sweep on the first would take too long."""
CHAINS = (64, 32, 16)
BUDGET = 160.0
"""Core seconds that a sweep nobody has changed may take."""


def settled(config: TuneConfig, stream: TuningRows, advice: Advice, rows: int) -> TuneConfig:
    """Return a configuration with everything known: chains are as many as time allows."""
    example, advised = stream.example, advice.settings
    ranges = {"eta0": (float(f"{advised.eta0 / 10:.3g}"), float(f"{advised.eta0 * 10:.3g}")),
              "i_max": (max(1, round(advised.i_max / 10)), min(5000, max(2, 2 * advised.i_max))),
              "batches": (advised.batch_size,), "acceptance_radius": advised.acceptance_radius}
    config = config.replace(rows=rows, **{
        name: getattr(config, name) or getattr(example, name, None) or value for name, value in ranges.items()})
    if config.chains is None:
        few = [k for k in CHAINS if core_seconds(config.replace(chains=k), stream) <= BUDGET]
        config = config.replace(chains=CHAINS[0] if example is not None else few[0] if few else CHAINS[-1])
    return config


def core_seconds(config: TuneConfig, stream: TuningRows) -> float:
    """Roughly what a sweep takes, with half of its cells given up: 8 ns a gradient and half a one a coordinate."""
    each = (8.0 + 0.5 * stream.problem.dim) * 1e-9
    gradients = sum(2 + (i + 1) / 2 * b for i in config.lengths for b in config.batches) * len(config.etas)
    return 0.9 * each * gradients * config.rows * config.chains
