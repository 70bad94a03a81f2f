"""A sampler of the Live page on native kernels: processor seconds of epochs, in this or a separate process.

    python -m tests.benchmarks.native_run PROBLEM ALGORITHM EPOCHS

reads lines with a number of epochs and answers each with the seconds of the next epochs. numba compiles for the processor
named by ``NUMBA_CPU_NAME`` at import, so kernels for another one need a separate process.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from app.live.run_state import Data
from app.state.live import default_config
from sampler.algorithms import online_algorithm

OF_128_BITS = {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": ""}
"""x86-64-v2: vectors of two doubles without fused multiply-add, as in a browser's WebAssembly."""


class NativeRun:
    """The default sampler of Live on a problem, before its first epoch, with rows for ``epochs`` epochs."""

    def __init__(self, problem: str, algorithm: str, epochs: int) -> None:
        config = default_config(problem, algorithm=algorithm)
        data = Data(config)
        self.sampler = online_algorithm(algorithm)(data.problem, config.settings, config.chains, config.seed,
                                                   data.start(config))
        self._rows = [data.row(t) for t in range(1, epochs + 1)]

    def seconds(self, count: int) -> float:
        first = self.sampler.t
        blocks = [np.array(part) for part in zip(*self._rows[first:first + count], strict=True)]
        start = time.process_time()
        self.sampler.observe(*blocks)
        return time.process_time() - start


@contextmanager
def elsewhere(problem: str, algorithm: str, epochs: int, environment: dict[str, str]) -> Iterator[Callable[[int], float]]:
    """Run a `NativeRun` in a process with these environment variables; yield its function `seconds`."""
    command = [sys.executable, "-m", "tests.benchmarks.native_run", problem, algorithm, str(epochs)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env={**os.environ, **environment}) as child:
        assert child.stdin and child.stdout
        requests, answers = child.stdin, child.stdout

        def seconds(count: int) -> float:
            requests.write(f"{count}\n")
            requests.flush()
            return float(answers.readline())

        yield seconds
        requests.close()


if __name__ == "__main__":
    run = NativeRun(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    for line in sys.stdin:
        print(run.seconds(int(line)), flush=True)
