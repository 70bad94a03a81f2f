"""Names of the algorithms on a stream, as settings, files, links and checkpoints write them.

Two have knobs that are tuned, `ONLINE_ALGORITHMS`. `KNOBLESS` have none: two Gaussian fits and a particle filter, which a
replay runs in their place where they are enough.
"""

from typing import Any

from sampler.algorithms.ibis import IBIS
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.recursive_vga import RecursiveVGA
from sampler.algorithms.saved_sampler import SavedSampler
from sampler.algorithms.warm_laplace import WarmLaplace

ONLINE_ALGORITHMS: dict[str, type[OnlineSagaLD]] = {"saga-ld": OnlineSagaLD, "preconditioned": PreconditionedSagaLD}
"""Name -> class, of those with knobs."""
KNOBLESS: dict[str, type[SavedSampler]] = {"laplace": WarmLaplace, "rvga": RecursiveVGA, "ibis": IBIS}
"""Name -> class, of those without."""
PLAIN = "saga-ld"
"""What a file, link or checkpoint means that names no algorithm."""


def online_algorithm(name: str) -> type[OnlineSagaLD]:
    """Return the class of the online algorithm ``name``, "saga-ld" or "preconditioned"; ValueError for any other."""
    return _named(name, ONLINE_ALGORITHMS)


def stream_algorithm(name: str) -> type[SavedSampler]:
    """Return the class of an algorithm with knobs or without; ValueError for any other name."""
    return _named(name, {**ONLINE_ALGORITHMS, **KNOBLESS})


def _named(name: str, classes: dict[str, Any]) -> Any:
    if not isinstance(name, str) or name not in classes:
        raise ValueError(f"algorithm must be one of {', '.join(classes)}; got {name!r}; {PLAIN} is the plain one")
    return classes[name]
