"""How many chain-steps a second the exit-time simulation makes on one core."""

from sampler import ExitSimulation, flat_target
from tests.benchmarks.harness import Row, seconds


def rows(quick: bool) -> list[Row]:
    """The bare simulation and the one with paths and pushes, d = 2, F = 0."""
    out = []
    for name, extras in (("bare", {"paths": 0, "push_bins": 0}), ("with paths and pushes", {})):
        rates = []
        for seed in range(4):
            walk = ExitSimulation(flat_target(2), step_size=5e-4, steps=1000, radius=2.5, chains=10_000, seed=seed,
                                  walk_free=False, **extras)
            rates.append(1e7 / seconds(walk.run))
        best = max(rates[1:])
        out.append(Row(f"exit simulation, d = 2, F = 0, {name}", f"{best:.2g} chain-steps a second", ">= 1e7",
                       best >= 1e7))
    return out
