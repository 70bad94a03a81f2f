"""The choice of an online algorithm by name: one table for pages, links, files and the command line."""

from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD

ONLINE_ALGORITHMS: dict[str, type[OnlineSagaLD]] = {"saga-ld": OnlineSagaLD, "preconditioned": PreconditionedSagaLD}
"""Name -> class."""
PLAIN = "saga-ld"
"""What a file, link or checkpoint means that names no algorithm."""


def online_algorithm(name: str) -> type[OnlineSagaLD]:
    """Return the class of the online algorithm called ``name``.

    Parameters
    ----------
    name : str
        "saga-ld" or "preconditioned".

    Raises
    ------
    ValueError
        For any other name.
    """
    if not isinstance(name, str) or name not in ONLINE_ALGORITHMS:
        raise ValueError(f"algorithm must be one of {', '.join(ONLINE_ALGORITHMS)}; got {name!r}; {PLAIN} is the plain one")
    return ONLINE_ALGORITHMS[name]
