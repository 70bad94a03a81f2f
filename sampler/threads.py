"""Threads: blocks of independent chains side by side, and linear algebra on one thread.

The libraries behind NumPy and SciPy share out a product of matrices as small as 124 x 124 to a thread for each core, and
these wait for each other by spinning: on two cores with other work a solution took 5 ms where one thread takes 0.15. On
idle cores it is as fast as one thread.

Compiled kernels let go of Python's lock, so a kernel called for one block of chains runs beside the same kernel called
for another. A chain has random numbers and a memory of its own: its path is the same, bit for bit, however the chains
are cut and however many threads there are. How they are cut depends on sizes alone, never on a clock.

The threads are shared by all samplers of the process and hold nothing, so that samplers can be copied, pickled and
saved; a forked process begins without threads.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import scipy.linalg  # noqa: F401 - brings a library of its own, which must be there to be limited
from threadpoolctl import ThreadpoolController

from sampler.arguments import whole_number

_lock = threading.Lock()
_users = 0
_limit = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Linear algebra of this process stays on the thread that asks, until the last of those inside has left."""
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
STEP_WORK = 20  # of a step beside its gradients, in gradients of one term
LEAST_WORK = 1_500_000  # multiply-adds a block, some 0.3 ms: handing one to a thread takes some 0.02 ms

Result = TypeVar("Result")

_pool = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="chains")  # starts a thread when none is idle, not before
_default: int | None = None


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_threads(threads: int | None) -> None:
    """Let whatever is made from now on, and not told a number of threads, use ``threads``; None: one a core."""
    global _default
    _default = None if threads is None else checked_threads(threads)


def checked_threads(threads: int | None) -> int:
    """Number of threads asked for: an int in [1, 1024]; None is what ``use_threads`` said, or else one a core."""
    if threads is None:
        return _default or min(cores(), MOST_THREADS)
    return whole_number("threads", threads, 1, MOST_THREADS, "1 uses one core; leave it out, or None, for all that "
                        "this process may use")


def cut(count: int, threads: int, work: float) -> list[tuple[int, int]]:
    """First and last (exclusive) of contiguous blocks of ``count`` chains; one block where sharing would not pay.

    Blocks grow smaller towards the end, as chains are unequal: a thread that is done early finds a small one left.

    Parameters
    ----------
    count : int >= 1
    threads : int >= 1
    work : float >= 0
        Multiply-adds of all chains together, roughly; 0 for what must stay on one thread.
    """
    most = min(count, int(work / LEAST_WORK))  # blocks that are worth it
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
    """``run(block)`` for each block, on up to ``threads`` threads, this one among them; the results in order.

    An error, or Ctrl-C, is raised once no block is at work any more; blocks not begun by then are left out.
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
                waiting.clear()  # the other threads end what they have begun, and begin nothing
                raise

    others = [_pool.submit(work) for _ in range(min(threads, len(blocks)) - 1)]
    try:
        work()
    finally:
        waiting.clear()
        begun = [other for other in others if not other.cancel()]  # one that has not begun would find nothing to do
        _wait_for(begun)
    for other in begun:
        other.result()  # raises what it raised
    return [results[place] for place in range(len(blocks))]


def _wait_for(futures: list[Future[None]]) -> None:
    """Wait until all are done; Ctrl-C waits too, as it does for a kernel on this thread."""
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
