"""How fast chains are run until they leave a ball."""

import numpy as np

from sampler import ExitSimulation
from sampler.theory import flat_target, quadratic_target
from tests.benchmarks.timing import Row, race, row


def measure(quick: bool) -> list[Row]:
    chains, steps = 10_000, 1_000
    cases = {"flat F, d = 2": flat_target(2), "quadratic F, d = 2, walk beside it": quadratic_target(1.0, 2)}
    seconds = race({name: (lambda target=target: ExitSimulation(target, 1e-4, steps, 5.0, chains=chains).run(),
                           chains * steps) for name, target in cases.items()}, 3 if quick else 9)
    return [row(f"exit simulation, {name}", 1e-6 / seconds[name], at_least=10.0 if "flat" in name else None, unit="M/s",
                note=f"10,000 chains x 1,000 steps in {np.median(seconds[name]) * chains * steps:.2f} s")
            for name in cases]
