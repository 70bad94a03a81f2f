"""Division of chains into blocks and the threads that run them."""

import os
import signal
import threading
from itertools import product

import pytest

from sampler import threads as pool
from sampler.threads import LEAST_WORK, checked_threads, cores, cut, run_blocks, use_threads


@pytest.mark.parametrize(("count", "threads", "work"), list(product([1, 7, 1000], [1, 3, 1024], [0.0, 2.5, 30.0, 1e9])))
def test_blocks_are_contiguous_whole_and_never_too_small(count, threads, work):
    blocks = cut(count, threads, work * LEAST_WORK)
    assert blocks[0][0] == 0 and blocks[-1][1] == count
    assert all(a[1] == b[0] for a, b in zip(blocks[:-1], blocks[1:], strict=True))
    sizes = [last - first for first, last in blocks]
    assert min(sizes) >= 1
    assert len(blocks) == 1 or all(size * work / count >= 0.6 for size in sizes[:-1])
    if threads > 1 and work == 1e9:
        assert len(blocks) >= min(count, threads) and max(sizes) <= max(1, -(-count // threads))


def test_little_work_is_not_split():
    assert cut(64, 2, 0) == cut(64, 2, 1.9 * LEAST_WORK) == [(0, 64)]
    assert cut(64, 2, 2 * LEAST_WORK) == cut(64, 2, 3.9 * LEAST_WORK) == [(0, 32), (32, 64)]
    assert cut(64, 2, 8 * LEAST_WORK) == [(0, 16), (16, 28), (28, 37), (37, 45), (45, 53), (53, 61), (61, 64)]
    assert cut(1, 2, 1e15) == [(0, 1)]


def test_results_are_ordered_and_threads_run_concurrently():
    barrier = threading.Barrier(3, timeout=300)  # passed only by three concurrent threads

    def run(block):
        barrier.wait()
        return block, threading.get_ident()

    results = run_blocks(run, range(3), 3)
    assert [block for block, _ in results] == [0, 1, 2]
    assert len({ident for _, ident in results}) == 3


@pytest.mark.parametrize(("here", "error"), [(True, ZeroDivisionError), (False, ZeroDivisionError),
                                             (True, KeyboardInterrupt)])
def test_an_error_is_raised_after_all_blocks_have_ended(here, error):
    this, barrier, ended = threading.get_ident(), threading.Barrier(2, timeout=300), []

    def run(block):
        barrier.wait()  # both threads have a block
        if (threading.get_ident() == this) == here:
            raise error(block)
        ended.append(block)

    with pytest.raises(error):
        run_blocks(run, range(2), 2)
    assert len(ended) == 1


def test_after_an_error_on_another_thread_no_block_is_started(monkeypatch):
    this, barrier, submitted, started = threading.get_ident(), threading.Barrier(2, timeout=300), [], []
    submit = pool._pool.submit
    monkeypatch.setattr(pool._pool, "submit", lambda work: submitted.append(submit(work)) or submitted[-1])

    def run(block):
        started.append(block)
        if block < 2:
            barrier.wait()
        if threading.get_ident() != this:
            raise ZeroDivisionError(block)
        submitted[0].exception(300)  # the other thread has ended

    with pytest.raises(ZeroDivisionError):
        run_blocks(run, range(3), 2)
    assert sorted(started) == [0, 1]


def test_nested_blocks():
    def inner(block):
        return sum(run_blocks(lambda part: part, range(8), 4)) + block

    assert run_blocks(inner, range(6), 3) == [28 + block for block in range(6)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_has_its_own_threads():
    barrier = threading.Barrier(2, timeout=300)
    run_blocks(lambda block: barrier.wait(), range(2), 2)  # a thread that the child does not have
    child = os.fork()
    if child == 0:
        signal.alarm(600)  # ends a hanging child, so that the test fails
        barrier = threading.Barrier(2, timeout=300)
        try:
            run_blocks(lambda block: barrier.wait(), range(2), 2)
        finally:
            os._exit(1 if barrier.broken or barrier.n_waiting else 0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_default_is_one_thread_per_core_or_the_number_set(monkeypatch):
    monkeypatch.setattr(pool, "_default", None)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 4}, raising=False)
    assert cores() == checked_threads(None) == 3
    use_threads(7)
    assert checked_threads(None) == 7 and checked_threads(2) == 2
    use_threads(None)
    assert checked_threads(None) == 3
