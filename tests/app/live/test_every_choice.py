"""Live runs whatever is chosen: target, stream, algorithm, switch that is off, number of chains.

The suite plays a table in which every pair of choices occurs; ``-m slow`` plays the whole product.
"""

import itertools

import pytest

from app.state.live import SWITCHES, LiveState
from app.state.live_menu import ALGORITHMS, PROBLEMS, STREAMS
from tests.app.live.playing import assert_finite

CHOICES = (tuple(PROBLEMS), tuple(STREAMS), tuple(ALGORITHMS), (None, *SWITCHES), (1, 2, 64))
EPOCHS = 9
"""From the flat start over the checkpoint that is used; the charts begin at epoch 8."""


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


def play(worker, row, epochs=EPOCHS):
    """Play some epochs, the first few each with its picture."""
    for t in range(1, epochs + 1):
        worker.execute("epoch")
        if t in (1, 2, 3, epochs):
            shown = worker.snapshot()
            assert shown.notice_kind != "error", (row, shown.notice)
    assert_finite(shown)
    assert (shown.t, len(shown.cloud.positions), len(shown.cloud.contours)) == (epochs, row[-1], 3), row


def switched(make_worker, rows):
    """One page on which each row's choices are turned in turn, at play."""
    state = LiveState(chains=2, i_max=3)
    worker = make_worker(state.frozen())
    play(worker, (2,), 3)
    for row in rows:
        problem, stream, algorithm, off, chains = row
        for change in ({"problem": problem}, {"stream": stream}, {"algorithm": algorithm}, {"chains": chains},
                       {name: name != off for name in SWITCHES} | {"i_max": 3}):
            state.param.update(**change)
            worker.configure(state.frozen())
            worker.execute("play")
            assert worker.snapshot().notice_kind != "error", (row, change, worker.snapshot().notice)
        play(worker, row)


def test_every_pair_of_choices_plays_when_it_is_switched_to(make_worker):
    rows = pairwise(CHOICES)
    assert len(rows) < 40
    switched(make_worker, rows)


@pytest.mark.slow
@pytest.mark.parametrize("stream", STREAMS)
def test_every_choice_plays_when_it_is_switched_to(make_worker, stream):
    switched(make_worker, itertools.product(CHOICES[0], [stream], *CHOICES[2:]))
