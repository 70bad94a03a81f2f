"""`AlikePieces`: the work of a job whose pieces go alike, measured by the clock on the first."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from app.background_job import JobHandle

SILENCES = 4.0
"""Longest silences of the first piece that the time left must be longer than: what goes on in one nobody sees."""


class AlikePieces:
    """Turns how far a piece has come, in shares that do not all take equally long, into work whose pace is even.

    Parameters
    ----------
    handle
        Of the job; its pace is read anew once the first piece has ended.
    count
        Pieces, one after the other.
    clock
        Seconds.
    """

    def __init__(self, handle: JobHandle, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._handle, self._count, self._clock = handle, count, clock
        self._began = clock()
        self._shares, self._seconds = [0.0], [0.0]  #: of the first piece: how far it was, and when
        self._known = False

    def tell(self, ended: int, share: float) -> tuple[float, float] | None:
        """Return the work done and the work left, for `JobHandle.publish`.

        None where nobody can say: during the first piece, and once what is left is hardly more than a silence of its was.

        Parameters
        ----------
        ended
            Pieces that have ended.
        share
            Of the present piece that is done, in [0, 1]; never less than before.
        """
        if not self._known:
            self._shares.append(1.0 if ended else share)
            self._seconds.append(self._clock() - self._began)
            if not ended:
                return None
            self._known = True
            self._handle.time_anew()
        whole = self._seconds[-1]
        done = whole * (ended - 1) + float(np.interp(share, self._shares, self._seconds))
        left = whole * (self._count - 1) - done
        ahead = [then for then, at in zip(np.diff(self._seconds), self._shares[1:], strict=True) if at > share]
        return (done, left) if left > SILENCES * max(ahead, default=0.0) else None
