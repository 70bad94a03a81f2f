"""Live runs with every choice of target, stream, algorithm, disabled switch and number of chains.

The suite plays a table with every pair of choices; ``-m slow`` plays the whole product.
"""

import itertools

import pytest

from app.state.live import SWITCHES, LiveState
from app.state.live_menu import ALGORITHMS, PROBLEMS, STREAMS
from tests.app.live.playing import assert_finite

CHOICES = (tuple(PROBLEMS), tuple(STREAMS), tuple(ALGORITHMS), (None, *SWITCHES), (1, 2, 64))
EPOCHS = 9
"""From the flat start past the first checkpoint in use; charts begin at epoch 8."""


def pairwise(choices):
    """Return rows that contain every pair of entries of two columns, chosen greedily by the number of new pairs."""
    left = {pair for a, b in itertools.combinations(range(len(choices)), 2)
            for pair in itertools.product([(a, x) for x in choices[a]], [(b, y) for y in choices[b]])}
    everything, rows = list(itertools.product(*choices)), []
    while left:
        best = max(everything, key=lambda row: len(left & set(itertools.combinations(enumerate(row), 2))))
        left -= set(itertools.combinations(enumerate(best), 2))
        rows.append(best)
    return rows


def play(worker, row, epochs=EPOCHS):
    """Play ``epochs`` epochs with snapshots of the first three and the last."""
    for t in range(1, epochs + 1):
        worker.execute("epoch")
        if t in (1, 2, 3, epochs):
            shown = worker.snapshot()
            assert shown.notice_kind != "error", (row, shown.notice)
    assert_finite(shown)
    assert (shown.t, len(shown.cloud.positions), len(shown.cloud.contours)) == (epochs, row[-1], 3), row


def play_switching(make_worker, rows):
    """Play one run, switching to the choices of each row one after the other."""
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


def test_every_pair_of_choices_plays_after_a_switch(make_worker):
    rows = pairwise(CHOICES)
    assert len(rows) < 40
    play_switching(make_worker, rows)


@pytest.mark.slow
@pytest.mark.parametrize("stream", STREAMS)
def test_every_choice_plays_after_a_switch(make_worker, stream):
    play_switching(make_worker, itertools.product(CHOICES[0], [stream], *CHOICES[2:]))
