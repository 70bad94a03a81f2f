"""One thread for linear algebra while many small products and solutions are made.

The libraries behind NumPy and SciPy share out a product of matrices as small as 124 x 124 to a thread for each core, and
these wait for each other by spinning: on two cores with other work a solution took 5 ms where one thread takes 0.15. On
idle cores it is as fast as one thread.
"""

import threading
from contextlib import ContextDecorator

import scipy.linalg  # noqa: F401 - brings a library of its own, which must be there to be limited
from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_users = 0
_limit = None


class one_blas_thread(ContextDecorator):  # noqa: N801 - used as ``with one_blas_thread():`` and ``@one_blas_thread()``
    """Linear algebra of this process stays on the thread that asks, until the last of those inside has left."""

    def __enter__(self) -> "one_blas_thread":
        global _users, _limit
        with _lock:
            _users += 1
            if _users == 1:
                _limit = ThreadpoolController().limit(limits=1, user_api="blas")
                _limit.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        global _users, _limit
        with _lock:
            _users -= 1
            if _users == 0 and _limit is not None:
                _limit.__exit__(*exception)
                _limit = None
