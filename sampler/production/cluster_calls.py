"""Calls to the workers of a Dask cluster: all answers, or what went wrong in words."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from sampler.arguments import real_number
from sampler.production.cluster_worker import ShareMissing

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
    """Calls through a ``distributed.Client``, each answered within ``timeout`` seconds unless another time is given.

    ``name`` is the client's at the scheduler.
    """

    def __init__(self, client: Any, timeout: float) -> None:
        if not callable(getattr(client, "submit", None)) or not callable(getattr(client, "nthreads", None)):
            raise ValueError(f"client must be a distributed.Client, got {type(client).__name__}; make one with "
                             "distributed.Client('tcp://host:8786')")
        if client.asynchronous:
            raise ValueError("client must be made without asynchronous=True, got one with; calls here wait")
        self._client, self.name = client, client.id
        self.timeout = real_number("timeout", timeout, "600 seconds is the default", above=0.0)

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

    def clients(self) -> list[str]:
        """Names of all clients that the scheduler knows; none where it does not tell."""
        try:
            return self._client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.clients))
        except Exception:  # it may have been set up so, or have another version: then nothing is known of them
            return []

    def ask(self, calls: Sequence[WorkerCall], within: float | None = None) -> list[Any]:
        """Results in order; None for a call whose worker is lost, or does not hold the share any more."""
        within = self.timeout if within is None else within
        until, futures, results = time.monotonic() + within, list[Any](), list[Any]()
        try:
            for call in calls:
                try:
                    futures.append(self._client.submit(call.function, *call.arguments, workers=[call.address], pure=False))
                except Exception:
                    self.workers()  # says it if the scheduler is gone
                    raise
            for future, call in zip(futures, calls, strict=True):
                results.append(self._result(future, call, until))
            return results
        except TimeoutError:
            late = [call for place, call in enumerate(calls) if place == len(results) or not futures[place].done()]
            names = "; ".join(f"worker {call.address}, asked to {call.what}" for call in late)
            raise ClusterLost(f"no answer within {within:g} s from {names}. It hangs, or timeout is too short: end that "
                              "worker's process (another one then rebuilds its share) and call again; nothing is lost"
                              ) from None
        finally:
            for future in futures:
                future.release()

    def _result(self, future: Any, call: WorkerCall, until: float) -> Any:
        """Result of a call; None where its worker is lost.

        Raises
        ------
        TimeoutError
            Without an answer ``until`` then, of a worker that the scheduler still knows.
        """
        from distributed.scheduler import KilledWorker

        try:
            while True:
                late = time.monotonic() > until
                try:
                    return future.result(timeout=ANSWER_WITHIN if future.done() else LOOK_EVERY)
                except TimeoutError:  # the worker may have been lost, with its answer or before
                    if call.address not in self.workers():
                        return None
                    if late:
                        raise
        except (ShareMissing, KilledWorker, CancelledError):
            return None
        except (TimeoutError, ClusterLost):
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
