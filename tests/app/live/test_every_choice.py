"""Live runs whatever is chosen: target, stream, algorithm, switch that is off, number of chains; linked, or switched to.

The suite plays a table in which every pair of choices occurs; ``-m slow`` plays the whole product.
"""

import itertools
from contextlib import nullcontext

import pytest

from app.live import commands as do
from app.live.worker import Worker
from app.state.algorithm_menu import ALGORITHMS
from app.state.live import SWITCHES, LiveState
from app.state.problem_menu import PROBLEMS, STREAMS

CHOICES = (tuple(PROBLEMS), tuple(STREAMS), tuple(ALGORITHMS), (None, *SWITCHES), (1, 2, 64))
START = {"v": "1", "imax": "3"}
EPOCHS = 3
"""From the flat start over the first checkpoint that is used; the first eight epochs measure all there is."""


def pairwise(choices):
    """Rows in which every pair of entries of two columns occurs, each chosen to have the most pairs that have not."""
    left = {pair for a, b in itertools.combinations(range(len(choices)), 2)
            for pair in itertools.product([(a, x) for x in choices[a]], [(b, y) for y in choices[b]])}
    everything, rows = list(itertools.product(*choices)), []
    while left:
        best = max(everything, key=lambda row: len(left & set(itertools.combinations(enumerate(row), 2))))
        left -= set(itertools.combinations(enumerate(best), 2))
        rows.append(best)
    return rows


def query(problem, stream, algorithm, off, chains):
    """The link of a row."""
    switched = {} if off is None else {LiveState.param[off].key: "0"}
    return START | {"problem": problem, "stream": stream, "algorithm": algorithm, "chains": str(chains)} | switched


def play(worker, row, epochs=EPOCHS):
    """Play some epochs, each with its picture."""
    for _ in range(epochs):
        worker.obey(do.Epoch())
        shown = worker.snapshot()
        assert shown.notice_kind != "error", (row, shown.notice)
    assert (shown.t, len(shown.cloud.positions)) == (epochs, row[-1]), row
    return shown


def linked(row):
    """What a link of the row opens."""
    config, words = LiveState.from_query(query(*row))
    assert not words, words
    worker = Worker(config, True, nullcontext)
    play(worker, row)
    worker.close()


def switched(rows):
    """One page on which each row's choices are turned in turn, at play."""
    state = LiveState(**{"chains": 2, "i_max": 3})
    worker = Worker(state.frozen(), True, nullcontext)
    play(worker, (2,))
    for row in rows:
        problem, stream, algorithm, off, chains = row
        for change in ({"problem": problem}, {"stream": stream}, {"algorithm": algorithm}, {"chains": chains},
                       {name: name != off for name in SWITCHES} | {"i_max": 3}):
            state.param.update(**change)
            worker.obey(do.Configure(state.frozen()))
            worker.obey(do.Play())
            assert worker.snapshot().notice_kind != "error", (row, change, worker.snapshot().notice)
        play(worker, row)
    worker.close()


def test_every_pair_of_choices_plays_from_a_link():
    rows = pairwise(CHOICES)
    assert {("gaussian2", "preconditioned")} <= {(row[0], row[2]) for row in rows} and len(rows) < 40
    for row in rows:
        linked(row)


def test_every_pair_of_choices_plays_when_it_is_switched_to():
    switched(pairwise(CHOICES))


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_choice_plays_from_a_link(problem):
    for row in itertools.product([problem], *CHOICES[1:]):
        linked(row)


@pytest.mark.slow
@pytest.mark.parametrize("stream", STREAMS)
def test_every_choice_plays_when_it_is_switched_to(stream):
    switched(itertools.product(CHOICES[0], [stream], *CHOICES[2:]))
