"""Names of the algorithms on a stream, as settings, files, links and checkpoints write them.

Two have knobs that are tuned, `ONLINE_ALGORITHMS`. `KNOBLESS` have none: two Gaussian fits and a particle filter, which a
replay runs in their place where they are enough.
"""

from sampler.algorithms.ibis import IBIS
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.recursive_vga import RecursiveVGA
from sampler.algorithms.state_file import SavedSampler
from sampler.algorithms.warm_laplace import WarmLaplace

ONLINE_ALGORITHMS: dict[str, type[OnlineSagaLD]] = {"saga-ld": OnlineSagaLD, "preconditioned": PreconditionedSagaLD}
"""Name -> class, of those with knobs."""
KNOBLESS: dict[str, type[SavedSampler]] = {"laplace": WarmLaplace, "rvga": RecursiveVGA, "ibis": IBIS}
"""Name -> class, of those without."""
PLAIN = "saga-ld"
"""What a file, link or checkpoint means that names no algorithm."""


def online_algorithm(name: str) -> type[OnlineSagaLD]:
    """Return the class of the online algorithm ``name``, "saga-ld" or "preconditioned"; ValueError for any other."""
    if not isinstance(name, str) or name not in ONLINE_ALGORITHMS:
        raise ValueError(f"algorithm must be one of {', '.join(ONLINE_ALGORITHMS)}; got {name!r}; {PLAIN} is the plain one")
    return ONLINE_ALGORITHMS[name]


def stream_algorithm(name: str) -> type[SavedSampler]:
    """Return the class of an algorithm with knobs or without; ValueError for any other name."""
    every: dict[str, type[SavedSampler]] = {**ONLINE_ALGORITHMS, **KNOBLESS}
    if not isinstance(name, str) or name not in every:
        raise ValueError(f"algorithm must be one of {', '.join(every)}; got {name!r}; {PLAIN} is the plain one")
    return every[name]
