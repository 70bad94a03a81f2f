"""A stream larger than its memory limit: rows in a file, caches of 16 bytes per datum and chain."""

import json
import subprocess
import sys

import pytest

LIMITED = """
import json, resource, sys
import numpy as np
from sampler import LogisticRegression, OnlineSagaLD, Settings

def now(name):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(name))

rows, chains, folder, room = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
problem, settings, rng = LogisticRegression(20), Settings(eta0=0.3, batch_size=4, i_max=4), np.random.default_rng(0)
OnlineSagaLD(problem, settings, chains=chains).observe(rng.normal(size=(50, 20)), np.ones(50))  # compiled
saga = OnlineSagaLD(problem, settings, chains=chains)
saga.keep_rows_in(folder)
before = now("VmData")
resource.setrlimit(resource.RLIMIT_DATA, (before + room, before + room))
saga.reserve(rows)
while saga.t < rows:
    saga.observe(rng.normal(size=(20_000, 20)), (rng.random(20_000) < 0.5).astype(float))
print(json.dumps({"t": saga.t, "grown": now("VmData") - before}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1_000_000, 10_000_000])
def test_memory_is_that_of_the_caches_if_rows_are_in_a_file(rows, tmp_path):
    chains, caches = 2, 16 * 2 * rows
    # In addition to the caches: one temporary array of 8 bytes per datum, blocks of rows, allocator overhead.
    room = caches + 8 * rows + 64 * 2**20
    assert room < 20 * 8 * rows  # the rows alone would not fit
    done = subprocess.run([sys.executable, "-c", LIMITED, str(rows), str(chains), str(tmp_path), str(room)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["t"] == rows and report["grown"] < room
