"""Calendar of the cached gradients that are due for a refresh: linked lists inside the cache itself.

LMV-n Algorithm 2 recomputes at epoch t every gradient whose last update was at epoch exactly t/2. Each datum
sits in the bucket of the epoch that last filed it, and is looked at when the doubled epoch comes: refreshed if
it was not touched since, filed anew under its last epoch if it was. Amortised O(1) a datum, against 40-400 us
for a scan at t = 1e6.

Bucket e needs no head: the datum that arrived at epoch e (index e - 1) opens it. So a datum costs 16 bytes a
chain: the cached number, the epoch that last touched it, and the next datum of its bucket. Both are int32, so a
sampler holds at most `MOST_DATA` data.
"""

import numpy as np

from sampler.kernels.compile import kernel

MOST_DATA = 2**31 - 1
ITEM = np.dtype([("value", "f8"), ("touched", "i4"), ("following", "i4")], align=True)  # one-score models
LINK = np.dtype([("touched", "i4"), ("following", "i4")], align=True)  # vector caches keep their values apart


@kernel()
def open_bucket(items, t):
    """File the datum that arrives at epoch t: it opens bucket t."""
    items[t - 1].touched = t
    items[t - 1].following = -1


@kernel(inner=True)
def file_under(items, datum, epoch):
    """Put ``datum`` into the bucket of ``epoch``, behind the datum that opened it."""
    opener = epoch - 1
    items[datum].following = items[opener].following
    items[opener].following = datum


@kernel()
def find_due(items, t, rebuild, out):
    """Data due at epoch t, written to ``out``: last touched at epoch t/2 exactly. Changes nothing; returns how many.

    With ``rebuild`` (epochs went by without refresh): all last touched at t/2 or before, by an O(t) scan.
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
def turn_page(items, t, rebuild):
    """Mark what is due at t as touched, and file all of bucket t/2 (with ``rebuild``: everything) anew."""
    if rebuild:
        for datum in range(t - 1):
            if 2 * items[datum].touched <= t:
                items[datum].touched = t
            items[datum].following = -1
        for datum in range(t // 2):  # the others open buckets still to come and stay there until those are looked at
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
    """Touch all data at epoch t, whatever the calendar held: O(t)."""
    for datum in range(t):
        items[datum].touched = t
        items[datum].following = -1
    for datum in range(t // 2):  # as in turn_page: later ones open buckets still to come
        file_under(items, datum, t)
