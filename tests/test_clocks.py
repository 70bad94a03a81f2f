"""Durations are measured by a clock that nobody can set: a wall clock that jumps changes nothing."""

import ast
import asyncio
import time
from pathlib import Path

import pytest
from tornado.ioloop import IOLoop, PeriodicCallback

from app.background_job import BackgroundJob, wait
from app.steady_clock import keep_steady
from sampler import LogisticRegression, Replay, Settings

ROOT = Path(__file__).parents[1]
WALL = {("time", "time"), ("time", "time_ns"), ("time", "localtime"), ("time", "ctime"), ("datetime", "now"),
        ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
MAY = {"app/tune/kept_files.py": "the age of a file, whose date is the wall clock's",
       "sampler/draws.py": "the date of a file of draws"}


def test_no_duration_is_measured_by_the_wall_clock():
    found = set()
    for path in [*ROOT.glob("app/**/*.py"), *ROOT.glob("sampler/**/*.py")]:
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in ("from time import", *(".".join(pair) for pair in WALL))):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (node.value.id, node.attr) in WALL:
                found.add(str(path.relative_to(ROOT)))
            if isinstance(node, ast.ImportFrom) and node.module == "time" and any(one.name == "time" for one in node.names):
                found.add(str(path.relative_to(ROOT)))
    assert found == set(MAY)


def test_a_clock_that_jumps_by_hours_is_not_seen(monkeypatch):
    jumps = iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: 1.8e9 + 20_000.0 * (-1) ** next(jumps) * next(jumps))

    def work(handle):
        for part in range(1, 4):
            handle.publish(part, part / 4)

    background = BackgroundJob()
    background.start(work)
    update = wait(background)
    assert update.done and 0 <= update.seconds < 300
    background.close()
    replay = Replay(LogisticRegression(3), Settings(eta0=0.5, batch_size=5, i_max=8), [([[1.0, 2.0, 1.0]] * 20, [1.0] * 20)],
                    6, 3, 10)
    replay.resume()
    assert 0 <= replay.run().watch.seconds_per_epoch < 300


@pytest.mark.parametrize("jump", [-3600.0, 3600.0], ids=["back", "forward"])
def test_a_server_goes_on_with_its_periodic_work_when_its_clock_is_set(monkeypatch, jump):
    loop, off, told = IOLoop(make_current=False), [0.0], []
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + off[0])
    keep_steady(loop)

    async def work():
        enough = asyncio.Event()
        periodic = PeriodicCallback(lambda: told.append(1) or len(told) < 3 or enough.set(), 5)
        periodic.start()
        off[0] = jump
        await asyncio.wait_for(enough.wait(), 60)
        periodic.stop()

    loop.run_sync(work)
    loop.close()
    assert len(told) >= 3


def test_no_script_of_a_page_asks_for_the_time_of_day():
    found = {str(path.relative_to(ROOT)) for path in ROOT.glob("app/**/*.js")
             if "Date" in path.read_text(encoding="utf-8")}
    assert found == set()
