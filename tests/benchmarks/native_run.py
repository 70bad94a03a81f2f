"""A sampler of the Live page on its native kernels: processor seconds of so many epochs, here or in a process of its own.

    python -m tests.benchmarks.native_run PROBLEM ALGORITHM EPOCHS

answers each line that it reads, a number of epochs, with the seconds that the next ones took. numba compiles for the
processor that ``NUMBA_CPU_NAME`` names when it is imported, so kernels for another one need their own process.
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
"""x86-64-v2: vectors of two numbers, no product added in one instruction, as in a browser's WebAssembly."""


class NativeRun:
    """The sampler that Live opens with on a problem, before its first epoch; rows for so many epochs are drawn ahead."""

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
    """The same in a process with these variables; what takes the place of `NativeRun.seconds`."""
    command = [sys.executable, "-m", "tests.benchmarks.native_run", problem, algorithm, str(epochs)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env={**os.environ, **environment}) as child:
        assert child.stdin and child.stdout
        ask, answers = child.stdin, child.stdout

        def seconds(count: int) -> float:
            ask.write(f"{count}\n")
            ask.flush()
            return float(answers.readline())

        yield seconds
        ask.close()


if __name__ == "__main__":
    run = NativeRun(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    for line in sys.stdin:
        print(run.seconds(int(line)), flush=True)
