"""The temperatures of offline SAGA-LD's cold start: LMV-n Algorithm 3's beta = 1/T, 2/T, 4/T, ..., 1."""
from sampler.arguments import whole_number


def temperature_ladder(terms: int) -> tuple[float, ...]:
    """Inverse temperatures 1/T, 2/T, 4/T, ..., 1: ceil(log2 T + 1) of them.

    Parameters
    ----------
    terms : int >= 1
        T, the terms of the data set.
    """
    terms = whole_number("terms", terms, advice="how many data there are")
    ladder, power = [], 1
    while power < terms:
        ladder.append(power / terms)
        power *= 2
    return (*ladder, 1.0)
