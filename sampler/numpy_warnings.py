"""`quiet`: numpy's warnings left unsaid where a number beyond all numbers is looked for, or comes of a user's function."""

from typing import Any

import numpy as np


def quiet() -> Any:
    """Context in which numpy does not warn; what the user has set by ``numpy.seterr`` beside warnings holds."""
    silent: dict[str, Any] = {kind: "ignore" for kind, answer in np.geterr().items() if answer == "warn"}
    return np.errstate(**silent)
