"""Refresh calendar of cached gradients, as linked lists inside the cache.

LMV-n Algorithm 2 recomputes at epoch t every gradient last updated at epoch exactly t/2. Each datum is filed in
the bucket of its last epoch at the time of filing; at twice that epoch it is refreshed if it was not touched
since, or else refiled under its last epoch. The cost is amortised O(1) per datum, against 40-400 us for a scan
at t = 1e6.

Bucket e needs no head: its first element is the datum that arrived at epoch e (index e - 1). So a datum takes 16
bytes per chain: the cached number, the epoch of its last update, and the next datum in its bucket. The last two
are int32, so a sampler holds at most `MOST_DATA` data.
"""

import numpy as np

from sampler.kernels.compile import kernel

MOST_DATA = 2**31 - 1
ITEM = np.dtype([("value", "f8"), ("touched", "i4"), ("following", "i4")], align=True)  # one-score models
LINK = np.dtype([("touched", "i4"), ("following", "i4")], align=True)  # vector caches store their values separately


@kernel()
def open_bucket(items, t):
    """File the datum that arrives at epoch t as the first of bucket t."""
    items[t - 1].touched = t
    items[t - 1].following = -1


@kernel(inner=True)
def file_under(items, datum, epoch):
    """Insert ``datum`` into the bucket of ``epoch``, after its first element."""
    opener = epoch - 1
    items[datum].following = items[opener].following
    items[opener].following = datum


@kernel()
def find_due(items, t, rebuild, out):
    """Write the data due at epoch t, last touched at epoch t/2 exactly, to ``out``; return their number. Changes no item.

    With ``rebuild``, after epochs without refresh: all data last touched at t/2 or before, by an O(t) scan.
    """
    n = 0
    if rebuild:
        for datum in range(t - 1):
            if 2 * items[datum].touched <= t:
                out[n] = datum
                n += 1
    elif t % 2 == 0:
        datum = t // 2 - 1
        while datum >= 0:
            if items[datum].touched == t // 2:
                out[n] = datum
                n += 1
            datum = items[datum].following
    return n


@kernel()
def refile_due(items, t, rebuild):
    """Mark the data due at t as touched, and refile bucket t/2 (with ``rebuild``: all buckets)."""
    if rebuild:
        for datum in range(t - 1):
            if 2 * items[datum].touched <= t:
                items[datum].touched = t
            items[datum].following = -1
        for datum in range(t // 2):  # later data are the first of future buckets and stay there until those are due
            file_under(items, datum, items[datum].touched)
    elif t % 2 == 0:
        datum = t // 2 - 1
        while datum >= 0:
            following = items[datum].following
            if items[datum].touched == t // 2:
                items[datum].touched = t
            file_under(items, datum, items[datum].touched)
            datum = following


@kernel()
def file_all_under(items, t):
    """Mark all data as touched at epoch t and rebuild the calendar, in O(t)."""
    for datum in range(t):
        items[datum].touched = t
        items[datum].following = -1
    for datum in range(t // 2):  # as in refile_due: later data are the first of future buckets
        file_under(items, datum, t)
