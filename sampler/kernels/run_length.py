"""The random number of steps of an epoch."""

from numba import int64

from sampler.kernels.compile import kernel


@kernel()
def run_length(u, i_max, random_length):
    """i_t: uniform on 1..i_max from the kept draw u, or i_max."""
    return min(1 + int64(u * i_max), i_max) if random_length else i_max
