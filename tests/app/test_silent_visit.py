"""A visit whose connection falls silent, as when a cable is pulled, makes room for who waits in line: in real time."""

import asyncio
import time

import pytest

from app.visits.pings import PING_EVERY, SILENT
from tests.benchmarks.load import Served
from tests.benchmarks.visit import Visit

pytestmark = pytest.mark.slow


class Waiting(Visit):
    """A visit in line."""

    async def come_in(self):
        """Wait until the server says that its turn has come."""
        while True:
            header, content, _ = await self._read()
            if header["msgtype"] == "PULL-DOC-REPLY":
                await self._event("document_ready", {})
            if '"enter"' in content and header["msgtype"] == "PATCH-DOC":
                return


async def opened(visit):
    await visit.open()
    following = asyncio.create_task(visit.follow())
    await asyncio.wait_for(visit.shown.wait(), 240)
    return following


async def seconds_until_let_in(url, silent):
    here, waiting = Visit(url), Waiting(url)
    following = await opened(here)
    await waiting.open()
    coming = asyncio.create_task(waiting.come_in())
    await asyncio.sleep(2 * PING_EVERY)  # as long as it answers pings it stays
    assert not coming.done()
    start = time.monotonic()
    if silent:
        here.socket.protocol._write_frame = lambda *frame, **more: asyncio.get_running_loop().create_future()
        following.cancel()  # the connection stays open; no word comes over it
    else:
        here.close()
    await asyncio.wait_for(coming, 4 * SILENT)
    seconds = time.monotonic() - start
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)  # its socket may have closed first
    for visit in (here, waiting):
        visit.close()
    return seconds


@pytest.mark.parametrize(("silent", "least", "most"),
                         [(True, SILENT - PING_EVERY, SILENT + PING_EVERY), (False, 0, PING_EVERY)])
def test_the_place_of_a_silent_visit_is_given_to_the_next_in_line(silent, least, most):
    """And the place of one that is closed at once."""
    served = Served("--args", "--visits", "1")
    try:
        seconds = asyncio.run(seconds_until_let_in(served.url, silent))
    finally:
        served.close()
    print(f"let in after {seconds:.1f} s")
    assert least <= seconds <= most
