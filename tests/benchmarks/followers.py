"""A class without browsers: ``python -m tests.benchmarks.followers [students] [seconds]``.

Starts the dashboard with ``--classroom``, opens the teacher's page and so many students' as a browser does (page, socket,
an acknowledgement for every frame), and prints frames a second of each, and the server's processor time and memory.
"""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.visit import Visit

ROOT = Path(__file__).parents[2]
PORT = 18_613


class Served:
    """`panel serve app --args --classroom`, with what it says of itself and what the machine says of it."""

    def __init__(self, seats: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-m", "panel", "serve", "app", "--port", str(PORT), "--address", "127.0.0.1",
             "--args", "--classroom", str(seats)], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.code = self.secret = ""
        for line in self._process.stdout:
            self.code = self.code or (re.search(r"^Class (\w+)", line) or ["", ""])[1]
            self.secret = (re.search(r"teacher=(\S+)", line) or ["", ""])[1]
            if self.secret:
                break
        os.set_blocking(self._process.stdout.fileno(), False)
        self.url = f"http://127.0.0.1:{PORT}/app"

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> float:
        """Megabytes in memory."""
        return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(30)


async def measure(students: int, seconds: float) -> None:
    """Hold a class and print what it costs."""
    served = Served(students)
    try:
        teacher = Visit(f"{served.url}?teacher={served.secret}")
        await teacher.open()
        reading = [asyncio.create_task(teacher.follow())]
        while teacher.epoch < 16:
            await asyncio.sleep(0.1)
        alone, cpu = served.resident(), served.cpu()
        await asyncio.sleep(5)
        print(f"teacher alone: {(served.cpu() - cpu) / 5:.0%} of a core, {alone:.0f} MB", flush=True)
        start, class_ = time.perf_counter(), []
        for _ in range(students):
            class_.append(Visit(f"{served.url}?class={served.code}", answered=8))
            await class_[-1].open()
            reading.append(asyncio.create_task(class_[-1].follow()))
        joined = time.perf_counter() - start
        made = [follower.made for follower in class_]
        print(f"{students} students in {joined:.0f} s, {statistics.median(made):.2f} s a page (to {max(made):.2f}), "
              f"{(served.resident() - alone) / students:.1f} MB each", flush=True)
        await asyncio.sleep(5)
        for _ in range(2):
            cpu, at = served.cpu(), time.perf_counter()
            before = [(f.frames, f.bytes) for f in [teacher, *class_]]
            await asyncio.sleep(seconds)
            spent = time.perf_counter() - at
            after = [(f.frames, f.bytes) for f in [teacher, *class_]]
            rates = sorted((b[0] - a[0]) / spent for a, b in zip(before[1:], after[1:], strict=True))
            sent = sum(b[1] - a[1] for a, b in zip(before, after, strict=True)) / spent
            print(f"frames a second: teacher {(after[0][0] - before[0][0]) / spent:.1f}, students median "
                  f"{statistics.median(rates):.1f}, least {rates[0]:.1f}, most {rates[-1]:.1f}; "
                  f"{sent / 1e3:.0f} kB/s; server {(served.cpu() - cpu) / spent:.0%} of a core, "
                  f"{served.resident():.0f} MB; epochs {teacher.epoch} and {min(f.epoch for f in class_)} to "
                  f"{max(f.epoch for f in class_)}", flush=True)
        for task in reading:
            if task.done():
                print("a page stopped:", repr(task.exception()))
            task.cancel()
    finally:
        served.close()


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 60, float(sys.argv[2]) if len(sys.argv) > 2 else 15))
