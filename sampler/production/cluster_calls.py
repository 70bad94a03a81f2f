"""Calls to the workers of a Dask cluster: all answers, or what went wrong in words."""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from sampler.production.cluster_share import ShareMissing

LOOK_EVERY = 0.5  # seconds without an answer after which the list of workers is asked for
SCHEDULER_WITHIN = 20.0  # seconds the scheduler may take for that list
ANSWER_WITHIN = 20.0  # seconds that an answer may be on its way until the worker is looked at again


class ClusterLost(ValueError):
    """No scheduler, no worker, or one that hangs; what was given is not lost, the call may be made again."""


@dataclass(frozen=True)
class WorkerCall:
    """``function(*arguments)`` on the worker at ``address``; ``what`` names it in words."""

    address: str
    what: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class ClusterCalls:
    """Calls through a ``distributed.Client``, each answered within ``timeout`` seconds unless another time is given."""

    def __init__(self, client: Any, timeout: float) -> None:
        if not callable(getattr(client, "submit", None)) or not callable(getattr(client, "nthreads", None)):
            raise ValueError(f"client must be a distributed.Client, got {type(client).__name__}; make one with "
                             "distributed.Client('tcp://host:8786')")
        if client.asynchronous:
            raise ValueError("client must be made without asynchronous=True, got one with; calls here wait")
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < math.inf:
            raise ValueError(f"timeout must be above 0 seconds and finite, got {timeout!r}; 600 is the default")
        self._client, self.timeout = client, float(timeout)

    def workers(self) -> dict[str, int]:
        """Address and threads of each worker that the scheduler knows."""
        client = self._client
        try:
            if client.status != "running":
                raise OSError(f"the client is {client.status}")
            return dict(sorted(client.sync(client.scheduler.ncores, callback_timeout=SCHEDULER_WITHIN).items()))
        except (OSError, TimeoutError, CancelledError, RuntimeError) as error:
            raise ClusterLost(f"scheduler: it does not answer any more ({type(error).__name__}: {error}); if it does not "
                              "come back, make a new client and new ClusterChains, and give the rows again") from None

    @property
    def name(self) -> str:
        """The client's name at the scheduler."""
        return self._client.id

    def clients(self) -> list[str]:
        """Names of all clients that the scheduler knows; none where it does not tell."""
        try:
            return self._client.run_on_scheduler(clients_of)
        except Exception:  # it may have been set up so, or have another version: then nothing is known of them
            return []

    def ask(self, calls: Sequence[WorkerCall], within: float | None = None) -> list[Any]:
        """Results in order; None for a call whose worker is lost, or does not hold the share any more."""
        within = self.timeout if within is None else within
        began, results, pending = time.monotonic(), [None] * len(calls), {}
        try:
            for place, call in enumerate(calls):
                pending[self._submit(call)] = place
            while pending:
                late = time.monotonic() - began > within  # asked first: what has ended by then is still looked at
                for future in self._ended(list(pending)):
                    place = pending[future]
                    try:
                        results[place] = self._result(future, calls[place], within)
                    except TimeoutError:  # the worker may have been lost with its answer: that is looked at below
                        continue
                    del pending[future]
                if pending:
                    self._drop_lost(pending, calls)
                if pending and late:
                    self._raise_hanging([calls[place] for place in pending.values()], within)
            return results
        finally:
            for future in pending:
                future.release()

    def _submit(self, call: WorkerCall) -> Any:
        try:
            return self._client.submit(call.function, *call.arguments, workers=[call.address], pure=False)
        except Exception:
            self.workers()  # says it if the scheduler is gone
            raise

    def _ended(self, futures: list[Any]) -> list[Any]:
        """Those that have ended after at most half a second."""
        from distributed import wait

        try:
            with self._client.as_current():
                wait(futures, timeout=LOOK_EVERY, return_when="FIRST_COMPLETED")
        except (TimeoutError, CancelledError):
            pass
        return [future for future in futures if future.status in ("finished", "error")]

    def _drop_lost(self, pending: dict[Any, int], calls: Sequence[WorkerCall]) -> None:
        alive = self.workers()
        for future in [f for f, place in pending.items() if calls[place].address not in alive or f.status == "cancelled"]:
            del pending[future]
            future.release()

    def _result(self, future: Any, call: WorkerCall, within: float) -> Any:
        from distributed.scheduler import KilledWorker

        try:
            return future.result(timeout=min(within, ANSWER_WITHIN))
        except (ShareMissing, KilledWorker, CancelledError):
            return None
        except TimeoutError:
            raise
        except (ImportError, AttributeError) as error:
            raise ValueError(f"worker {call.address} has another version of this library, or none ({error}); install the "
                             "same one on all workers") from None
        except Exception as error:
            if "deserialization of the task graph" in str(error):
                raise ValueError(f"scheduler: it or worker {call.address} has another version of this library, or none; "
                                 "install the same one on the scheduler and all workers") from None
            raise ValueError(f"worker {call.address} failed to {call.what} ({type(error).__name__}: {error}); mend that and "
                             "go on: what was given is taken, and done when that worker can") from error

    def _raise_hanging(self, calls: list[WorkerCall], within: float) -> None:
        names = "; ".join(f"worker {call.address}, asked to {call.what}" for call in calls)
        raise ClusterLost(f"no answer within {within:g} s from {names}. It hangs, or timeout is too short: end that "
                          "worker's process (another one then rebuilds its share) and call again; nothing is lost")


def clients_of(dask_scheduler: Any) -> list[str]:
    """Names of the clients of a scheduler; runs there."""
    return list(dask_scheduler.clients)
