"""The form of the preconditioner's metric: a dense matrix, low rank plus diagonal, or a diagonal."""

from sampler.arguments import whole_number

LARGEST_DENSE = 300
"""Dimension up to which the metric is dense unless said otherwise: three matrices of it are 2 MB a chain."""
RANK = 32


def metric_rank(metric: str | None, dim: int) -> int | None:
    """Rank of the low-rank part, 0 for a diagonal; None for a dense metric.

    Parameters
    ----------
    metric : {"dense", "low-rank", "low-rank R", "diagonal"} or None
        R in [1, dim - 1]; 32, or dim - 1 if that is less, where it is left out. None is dense up to d = 300, else low-rank.
    dim : int

    Raises
    ------
    ValueError
        For any other word, and a rank out of range.
    """
    if metric is None:
        metric = "dense" if dim <= LARGEST_DENSE else "low-rank"
    words = metric.split() if isinstance(metric, str) else [""]
    if len(words) == 2 and words[0] == "low-rank" and words[1].isdigit():
        if dim == 1:
            raise ValueError(f"metric must be dense or diagonal in one dimension, got {metric!r}; choose one")
        return whole_number("metric's rank", int(words[1]), 1, dim - 1, f"it must be below dim = {dim}")
    if metric == "low-rank":
        return min(RANK, dim - 1)
    if metric not in ("dense", "diagonal"):
        raise ValueError(f"metric must be one of dense, low-rank, low-rank R, diagonal, or None, got {metric!r}; None "
                         "chooses by the dimension")
    return None if metric == "dense" else 0
