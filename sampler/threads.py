"""Thread pool for blocks of independent chains, and single-threaded linear algebra.

The BLAS libraries behind NumPy and SciPy split a product of matrices as small as 124 x 124 over one thread per core, and
these threads synchronise by spinning: on two busy cores a solve took 5 ms instead of 0.15 ms on one thread. On idle cores
it is no faster than one thread.

Compiled kernels release the GIL, so that a kernel runs on several blocks of chains in parallel. Each chain has separate
random numbers and memory: its path is bit-identical for any partition into blocks and any number of threads. The
partition depends on sizes only, never on timing.

The threads are shared by all samplers of the process and have no state, so that samplers can be copied, pickled and
saved; a forked process starts without threads.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import scipy.linalg  # noqa: F401 - loads its own BLAS, which must be loaded to be limited
from threadpoolctl import ThreadpoolController

from sampler.arguments import whole_number

_lock = threading.Lock()
_users = 0
_limit = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit the process's linear algebra to the calling thread, until the last nested or concurrent context exits."""
    global _users, _limit
    with _lock:
        _users += 1
        if _users == 1:
            _limit = ThreadpoolController().limit(limits=1, user_api="blas")
            _limit.__enter__()
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and _limit is not None:
                _limit.__exit__(None, None, None)
                _limit = None


MOST_THREADS = 1024
STEP_WORK = 20  # cost of a step without its gradients, in gradients of one term
LEAST_WORK = 1_500_000  # multiply-adds per block, about 0.3 ms: dispatching one to a thread takes about 0.02 ms

Result = TypeVar("Result")

_pool = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="chains")  # starts a thread only when none is idle
_default: int | None = None


def cores() -> int:
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_threads(threads: int | None) -> None:
    """Set the number of threads for objects created later without one; None: one per core."""
    global _default
    _default = None if threads is None else checked_threads(threads)


def checked_threads(threads: int | None) -> int:
    """Return ``threads``, an int in [1, 1024]; for None the default of ``use_threads``, or else one per core."""
    if threads is None:
        return _default or min(cores(), MOST_THREADS)
    return whole_number("threads", threads, 1, MOST_THREADS, "1 uses one core; omit it, or pass None, for all cores "
                        "available to this process")


def cut(count: int, threads: int, work: float) -> list[tuple[int, int]]:
    """Return (first, last), last exclusive, of contiguous blocks of ``count`` chains; one block if threads would not pay.

    Blocks get smaller towards the end, as chains take unequal times: a thread that is done early takes a small one.

    Parameters
    ----------
    count : int >= 1
    threads : int >= 1
    work : float >= 0
        Approximate multiply-adds of all chains together; 0 for work that must stay on one thread.
    """
    most = min(count, int(work / LEAST_WORK))  # largest useful number of blocks
    if threads == 1 or most < 2:
        return [(0, count)]
    if most < 2 * threads:
        parts = min(most, threads)
        return [(count * i // parts, count * (i + 1) // parts) for i in range(parts)]
    blocks, first, least = [], 0, -(-count // most)
    while first < count:
        last = min(count, first + max(least, -(-(count - first) // (2 * threads))))
        blocks.append((first, last))
        first = last
    return blocks


def run_blocks(run: Callable[[Any], Result], blocks: Sequence[Any], threads: int) -> list[Result]:
    """Return ``run(block)`` of each block in order, computed on up to ``threads`` threads including the calling one.

    An error, or Ctrl-C, is raised when no block is running any more; blocks not started by then are skipped.
    """
    if threads == 1 or len(blocks) == 1:
        return [run(block) for block in blocks]
    waiting, results = deque(enumerate(blocks)), dict[int, Result]()

    def work() -> None:
        while True:
            try:
                place, block = waiting.popleft()
            except IndexError:
                return
            try:
                results[place] = run(block)
            except BaseException:
                waiting.clear()  # the other threads finish their current block and start no other
                raise

    others = [_pool.submit(work) for _ in range(min(threads, len(blocks)) - 1)]
    try:
        work()
    finally:
        waiting.clear()
        begun = [other for other in others if not other.cancel()]  # one that has not started has nothing to do
        _wait_for(begun)
    for other in begun:
        other.result()  # raises the thread's exception
    return [results[place] for place in range(len(blocks))]


def _wait_for(futures: list[Future[None]]) -> None:
    """Wait until all are done; Ctrl-C is raised afterwards, as for a kernel on this thread."""
    interrupt = None
    while any(not future.done() for future in futures):
        try:
            wait(futures)
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


def _new_pool() -> None:
    global _pool
    _pool = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="chains")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_pool)  # threads do not survive a fork
