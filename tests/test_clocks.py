"""Durations are measured by a clock that nobody can set: a wall clock that jumps changes nothing."""

import ast
import time

from app.jobs.background_job import BackgroundJob
from sampler import LogisticRegression, Replay, Settings
from tests.app.jobs.waiting import wait
from tests.sources import ROOT, names_in, texts, tree_of

WALL = {("time", "time"), ("time", "time_ns"), ("time", "localtime"), ("time", "ctime"), ("datetime", "now"),
        ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
MAY = {"app/tune/kept_files.py": "the age of a file, whose date is the wall clock's",
       "sampler/draws.py": "the date of a file of draws"}


def test_no_duration_is_measured_by_the_wall_clock():
    paths = set()
    for path in texts("app", "sampler"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (node.value.id, node.attr) in WALL:
                paths.add(path)
            if isinstance(node, ast.ImportFrom) and "time.time" in names_in(node):
                paths.add(path)
    assert paths == set(MAY)


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


def test_no_script_of_a_page_asks_for_the_time_of_day():
    paths = {str(path.relative_to(ROOT)) for path in ROOT.glob("app/**/*.js")
             if "Date" in path.read_text(encoding="utf-8")}
    assert paths == set()
