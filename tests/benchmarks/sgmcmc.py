"""SAGA-LD's step against SGMCMCJax's SGLD, SGLD-CV and SVRG-Langevin, on the same data, with the same step and batch.

SGMCMCJax 0.2.13, the latest, imports ``jax.experimental.host_callback``, which jax has dropped: it runs in an environment of
its own, whose Python the variable LAB_SGMCMCJAX names::

    python3.11 -m venv ~/sgmcmcjax
    ~/sgmcmcjax/bin/pip install sgmcmcjax==0.2.13 jax==0.4.13 jaxlib==0.4.13 "numpy<1.26" "scipy<1.12"
    LAB_SGMCMCJAX=~/sgmcmcjax/bin/python python -m tests.benchmarks sgmcmc
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sampler import find_mode
from sampler.racing.nuts import XLA_ONE_CORE
from tests.benchmarks.chains import BATCH, open_saga_at
from tests.benchmarks.peers import ETA0, LARGE, OFFSET, SMALL, signed_rows
from tests.benchmarks.timing import Row, row, skipped

VARIABLE = "LAB_SGMCMCJAX"
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
OURS = 2_000  # steps of ours a turn


def measure(quick: bool) -> Iterator[Row]:
    """A step of each of theirs over one of ours, at t = 1e3 and 1e6."""
    python = os.environ.get(VARIABLE)
    if not python:
        yield skipped("SGMCMCJax", f"needs an environment of its own, named by {VARIABLE}: see tests/benchmarks/sgmcmc.py")
        return
    for t in (SMALL,) if quick else (SMALL, LARGE):
        yield from _at(t, python, 3 if quick else 7)


def _at(t: int, python: str, turns: int) -> Iterator[Row]:
    ours, power = open_saga_at(t), len(str(t)) - 1
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "rows.npz"
        np.savez(data, rows=signed_rows(t), centre=find_mode(ours.posterior), batch=BATCH, step=ETA0 / (t + OFFSET),
                 anchor_every=max(1, t // BATCH))
        with subprocess.Popen([python, str(Path(__file__).with_name("sgmcmc_child.py")), str(data)], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env={**environment, **ONE_THREAD, "XLA_FLAGS": XLA_ONE_CORE, "JAX_PLATFORMS": "cpu"}) as child:
            mine, theirs = [], []
            for turn in range(turns + 1):
                child.stdin.write("go\n")
                child.stdin.flush()
                answer = json.loads(child.stdout.readline())
                start = time.process_time()
                ours.advance(OURS)
                if turn:  # the first turn warms caches
                    mine.append((time.process_time() - start) / OURS)
                    theirs.append(answer)
            child.stdin.close()
    mine = np.array(mine)
    for name in theirs[0]:
        seconds = np.array([answer[name] for answer in theirs])
        yield row(f"SAGA-LD a step, t = 1e{power}: SGMCMCJax {name} over ours", seconds / mine,
                  note=f"{1e6 * np.median(mine):.2f} us and {1e6 * np.median(seconds):.1f} us")
