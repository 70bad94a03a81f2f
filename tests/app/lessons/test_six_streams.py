"""What the answers call "measured over six streams": medians over seeds 0 to 5. Exact repetitions, so as printed."""

import numpy as np
import pytest

from app.live.run import LiveRun
from app.state.live import LiveState

pytestmark = pytest.mark.slow


def medians(epochs, later=None, **settings):
    """Return epoch -> medians of accuracy, width bias, memory and resets in the last 100 epochs."""
    rows = {t: [] for t in epochs}
    for seed in range(6):
        run = LiveRun(LiveState.from_query(settings | {"seed": str(seed)})[0])
        while run.state.t < max(epochs):
            if later and run.state.done and run.state.t == later[0]:
                run.configure(LiveState.from_query(LiveState.to_query(run.state.config) | later[1])[0])
            assert run.advance(10**9)
            if run.state.done and run.state.t in rows:
                rows[run.state.t].append((run.state.pool.accuracy(), run.state.pool.shape()[0], run.state.pool.memory(),
                                    run.history.count("resets", run.state.t, 100)))
        run.close()
    return {t: np.median(found, axis=0) for t, found in rows.items()}


def test_twice_the_batch_lasts_twice_as_long():
    small, large = medians((100, 200), vr="0"), medians((200, 400), vr="0", b="18")
    found = [small[100][0], large[200][0], small[200][0], large[400][0]]
    assert found == pytest.approx([0.85, 0.85, 0.77, 0.78], abs=0.006)


def test_half_of_the_heat_is_noise():
    found = [medians((480,), (200, change))[480][1] for change in ({"eta0": "5"}, {"eta0": "5", "b": "90"}, {})]
    assert found == pytest.approx([0.47, 0.24, 0.08], abs=0.006)


def test_memory_goes_with_step_times_steps():
    cold = {"eta0": "0.0333"}
    found = [medians((300,), (200, change))[300][2]
             for change in ({}, cold, cold | {"imax": "330"}, cold | {"imax": "1800"})]
    assert found == pytest.approx([0.15, 0.90, 0.6, 0.17], abs=0.015)


def test_twice_the_ball_lasts_four_times_as_long():
    drifting = {"stream": "drifting"}
    small, large = medians((500, 1000), C="16", **drifting), medians((1000, 2000, 4000), C="32", **drifting)
    found = [small[500][3], small[1000][3], large[1000][3], large[2000][3], large[4000][3]]
    assert found == pytest.approx([946, 4844, 10, 1006, 5501], abs=1)
    assert large[4000][0] == pytest.approx(0.80, abs=0.006)
