"""Names of the algorithms on a stream, as settings, files, links and checkpoints write them.

Two have knobs that are tuned, `ONLINE_ALGORITHMS`. `KNOBLESS` have none: two Gaussian fits and a particle filter, which a
replay runs in their place where they are enough.
"""

from sampler.algorithms.ibis import IBIS
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.recursive_vga import RecursiveVGA
from sampler.algorithms.saved_sampler import SavedSampler
from sampler.algorithms.warm_laplace import WarmLaplace
from sampler.arguments import choice

ONLINE_ALGORITHMS: dict[str, type[OnlineSagaLD]] = {"saga-ld": OnlineSagaLD, "preconditioned": PreconditionedSagaLD}
"""Name -> class, of those with knobs."""
KNOBLESS: dict[str, type[SavedSampler]] = {"laplace": WarmLaplace, "rvga": RecursiveVGA, "ibis": IBIS}
"""Name -> class, of those without."""
PLAIN = "saga-ld"
"""What a file, link or checkpoint means that names no algorithm."""
ADVICE = f"{PLAIN} is the plain one"


def online_algorithm(name: str) -> type[OnlineSagaLD]:
    """Return the class of the online algorithm ``name``, "saga-ld" or "preconditioned"; ValueError for any other."""
    return ONLINE_ALGORITHMS[choice("algorithm", name, tuple(ONLINE_ALGORITHMS), ADVICE)]


def stream_algorithm(name: str) -> type[SavedSampler]:
    """Return the class of an algorithm with knobs or without; ValueError for any other name."""
    classes = {**ONLINE_ALGORITHMS, **KNOBLESS}
    return classes[choice("algorithm", name, tuple(classes), ADVICE)]
