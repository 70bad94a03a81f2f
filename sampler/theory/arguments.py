"""Checks shared by the theory: each error names the argument, its range, the value and what to do next."""

import math
import operator


def real(
    name: str, value: float, advice: str, *, above: float = -math.inf, least: float = -math.inf
) -> float:
    """``value`` as a finite float with ``value > above`` and ``value >= least``, or ValueError."""
    if above > -math.inf:
        wanted = f"a finite number above {above:g}"
    elif least > -math.inf:
        wanted = f"a finite number, {least:g} or more"
    else:
        wanted = "a finite number"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {wanted}; got {value!r}. {advice}") from None
    if not (math.isfinite(number) and number > above and number >= least):
        raise ValueError(f"{name} must be {wanted}; got {number:g}. {advice}")
    return number


def whole(name: str, value: int, advice: str, *, least: int = 1) -> int:
    """``value`` as an int, ``least`` or more, or ValueError; 100.0 passes, 99.5 does not."""
    try:
        number = operator.index(value)
    except TypeError:
        integral = isinstance(value, float) and value.is_integer()
        if not integral:
            wanted = f"a whole number, {least} or more"
            raise ValueError(f"{name} must be {wanted}; got {value!r}. {advice}") from None
        number = int(value)
    if number < least:
        raise ValueError(f"{name} must be a whole number, {least} or more; got {number}. {advice}")
    return number
