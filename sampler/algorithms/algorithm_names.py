"""Names of the algorithms on a stream in settings, files, links and checkpoints.

`ONLINE_ALGORITHMS` have knobs to tune. `KNOBLESS` have none: two Gaussian fits and a particle filter, which a replay can
run instead where they are accurate enough.
"""

from sampler.algorithms.ibis import IBIS
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.recursive_vga import RecursiveVGA
from sampler.algorithms.saved_sampler import SavedSampler
from sampler.algorithms.warm_laplace import WarmLaplace
from sampler.arguments import choice

ONLINE_ALGORITHMS: dict[str, type[OnlineSagaLD]] = {"saga-ld": OnlineSagaLD, "preconditioned": PreconditionedSagaLD}
"""Name -> class of the algorithms with knobs."""
KNOBLESS: dict[str, type[SavedSampler]] = {"laplace": WarmLaplace, "rvga": RecursiveVGA, "ibis": IBIS}
"""Name -> class of the algorithms without knobs."""
PLAIN = "saga-ld"
"""Algorithm of a file, link or checkpoint that names none."""
ADVICE = f"{PLAIN} is the default"


def online_algorithm(name: str) -> type[OnlineSagaLD]:
    """Return the class of the online algorithm ``name``, "saga-ld" or "preconditioned"; ValueError for any other."""
    return ONLINE_ALGORITHMS[choice("algorithm", name, tuple(ONLINE_ALGORITHMS), ADVICE)]


def stream_algorithm(name: str) -> type[SavedSampler]:
    """Return the class of the algorithm ``name``, with knobs or without; ValueError for any other name."""
    classes = {**ONLINE_ALGORITHMS, **KNOBLESS}
    return classes[choice("algorithm", name, tuple(classes), ADVICE)]
