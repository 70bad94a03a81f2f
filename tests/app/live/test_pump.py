"""The flow of frames: what wakes it too early is answered in time."""

import asyncio
import time
from types import SimpleNamespace

from app.live.components.pump import SHORTEST, Pump


def test_a_wake_that_comes_too_early_is_answered_once_when_it_is_time():
    later, shown = [], []

    async def locked(tick, document):
        tick(document)

    session = SimpleNamespace(destroyed=False, document=None, with_document_locked=locked, _loop=SimpleNamespace(
        add_callback=lambda answer: later.append(0.0), call_later=lambda rest, answer: later.append(rest)))
    pump = Pump(lambda: "frame", lambda: True, shown.append)
    pump._session, pump._last = session, time.perf_counter() + 1000.0
    pump.wake()
    asyncio.run(pump._answer())
    pump.wake()
    assert len(later) == 2 and later[1] > 990.0 and not shown
    pump._last -= 1000.0 + SHORTEST
    pump._session = None  # nothing to write to
    pump.tick()
    assert shown == ["frame"]
