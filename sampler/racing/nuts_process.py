"""A process that runs NUTS on one core and answers through pipes.

XLA takes its flags when it is imported, all cores unless told otherwise, and cannot be stopped in mid-call: so it gets a
process of its own, whose processor seconds are NUTS's alone and which ends at once when nobody wants its draws any more.
"""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.racing.blackjax_nuts import XLA_ONE_CORE, NutsTarget, ScratchNuts, WarmNuts

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
LOOK_EVERY = 0.1  # seconds between two looks at ``stop``


@dataclass(frozen=True)
class NutsJob:
    """What the process is to run: ``before`` is F_{t-1}, on which warm-started chains were tuned; None is from scratch."""

    target: NutsTarget
    before: NutsTarget | None
    start: np.ndarray
    chains: int
    block: int
    seed: int


@dataclass(frozen=True)
class NutsAnswer:
    """Draws of one call, and gradients and processor seconds so far; words of what went wrong."""

    draws: np.ndarray
    gradients: int
    seconds: float
    step_size: float
    trouble: str = ""


class NutsProcess:
    """The process, seen from here. ``more`` asks for draws; ``close`` ends it."""

    def __init__(self, job: NutsJob) -> None:
        flags = f"{os.environ.get('XLA_FLAGS', '')} {XLA_ONE_CORE}".strip()
        path = os.pathsep.join(folder for folder in sys.path if folder)
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from sampler.racing.nuts_process import main; main()"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD, "XLA_FLAGS": flags, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu"})
        weakref.finalize(self, self._process.kill)  # also where Python ends in mid-race: it would finish its call first
        self._orders: Any = self._process.stdin
        self._answers: Any = self._process.stdout
        self._send(job)

    def more(self, stop: Callable[[], bool] | None = None) -> NutsAnswer | None:
        """The next draws; None when stopped.

        Raises
        ------
        ValueError
            Where NUTS failed, or its process ended.
        """
        self._send("more")
        while not select.select([self._answers], [], [], LOOK_EVERY)[0]:
            if stop is not None and stop():
                self.close()
                return None
        try:
            answer = pickle.load(self._answers)
        except (EOFError, pickle.UnpicklingError):  # nothing, or half an answer
            raise ValueError(f"NUTS's process ended by itself (exit code {self._process.wait()}); is there memory for it?"
                             ) from None
        if answer.trouble:
            raise ValueError(f"NUTS failed: {answer.trouble}")
        return answer

    def _send(self, value: object) -> None:
        try:
            pickle.dump(value, self._orders)
            self._orders.flush()
        except OSError:
            pass  # it has ended; reading says so

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._orders, self._answers):
            try:
                pipe.close()
            except OSError:
                pass  # what was still to be sent


def serve(take: Callable[[], Any], give: Callable[[NutsAnswer], None]) -> None:
    """Run a job, as long as more is asked for."""
    job = take()
    try:
        if job.before is None:
            nuts: Any = ScratchNuts(job.target, job.start, job.block, job.seed)
            step_size = nuts.step_size
        else:
            tuned = ScratchNuts(job.before, job.start, 1, job.seed + 1)
            step_size = tuned.step_size
            points = np.array(np.broadcast_to(job.start, (job.chains, len(job.start))))
            nuts = WarmNuts(job.target, points, step_size, tuned.inverse_mass, job.seed)
        while take() == "more":
            give(NutsAnswer(nuts.more(), nuts.gradients, nuts.seconds, step_size))
    except EOFError:
        pass  # nobody asks any more
    except Exception as error:
        give(NutsAnswer(np.empty((0, 0)), 0, 0.0, 0.0, f"{type(error).__name__}: {error}"))


def main() -> None:
    """Answer through standard input and output; whatever else is printed goes to standard error."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def give(answer: NutsAnswer) -> None:
        pickle.dump(answer, output)
        output.flush()

    serve(lambda: pickle.load(sys.stdin.buffer), give)

