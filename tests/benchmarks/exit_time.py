"""How fast chains are run until they leave a ball."""

from __future__ import annotations

import numpy as np

from sampler import ExitSimulation
from sampler.theory import flat_target, quadratic_target
from tests.benchmarks.timing import Row, race, row


def simulation(turns: int) -> list[Row]:
    """Chain-steps a second of processor time, one core."""
    chains, steps = 10_000, 1_000
    cases = {"flat F, d = 2": dict(target=flat_target(2), step_size=1e-4, radius=5.0),
             "quadratic F, d = 2, walk beside it": dict(target=quadratic_target(1.0, 2), step_size=1e-4, radius=5.0),
             "quadratic F, d = 20": dict(target=quadratic_target(1.0, 20), step_size=1e-4, radius=9.0, walk_free=False)}
    seconds = race({name: (lambda case=case: ExitSimulation(steps=steps, chains=chains, **case).run(), chains * steps)
                    for name, case in cases.items()}, turns)
    return [row(f"exit simulation, {name}", 1e-6 / seconds[name], at_least=10.0 if "flat" in name else None, unit="M/s",
                note=f"10,000 chains x 1,000 steps in {np.median(seconds[name]) * chains * steps:.2f} s")
            for name in cases]


def measure(quick: bool) -> list[Row]:
    """All rows of this group."""
    return simulation(3 if quick else 9)
