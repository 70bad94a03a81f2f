"""`ClusterCalls`: calls to the workers of a Dask cluster that return all results or raise a descriptive error."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from sampler.arguments import real_number
from sampler.production.cluster_worker import ShareMissing

POLL_EVERY = 0.5  # seconds without a result after which the list of workers is requested
SCHEDULER_WITHIN = 20.0  # timeout of that request, in seconds
ANSWER_WITHIN = 20.0  # seconds to wait for a finished result before the worker is checked again


class ClusterLost(ValueError):
    """Error of a missing scheduler, missing workers or a hanging worker; no data are lost and the call may be repeated."""


@dataclass(frozen=True)
class WorkerCall:
    """Call of ``function(*arguments)`` on the worker at ``address``; ``what`` describes it in messages."""

    address: str
    what: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class ClusterCalls:
    """Calls through a ``distributed.Client`` with a default ``timeout`` in seconds.

    ``name`` is the identifier of the client at the scheduler.
    """

    def __init__(self, client: Any, timeout: float) -> None:
        if not callable(getattr(client, "submit", None)) or not callable(getattr(client, "nthreads", None)):
            raise ValueError(f"client must be a distributed.Client, got {type(client).__name__}; make one with "
                             "distributed.Client('tcp://host:8786')")
        if client.asynchronous:
            raise ValueError("client must be synchronous, got one with asynchronous=True; make it without")
        self._client, self.name = client, client.id
        self.timeout = real_number("timeout", timeout, "600 seconds is the default", above=0.0)

    def workers(self) -> dict[str, int]:
        """Return the address and number of threads of each worker registered at the scheduler."""
        client = self._client
        try:
            if client.status != "running":
                raise OSError(f"the client is {client.status}")
            return dict(sorted(client.sync(client.scheduler.ncores, callback_timeout=SCHEDULER_WITHIN).items()))
        except (OSError, TimeoutError, CancelledError, RuntimeError) as error:
            raise ClusterLost(f"scheduler: it no longer answers ({type(error).__name__}: {error}); if it does not "
                              "recover, make a new client and new ClusterChains, and pass the rows again") from None

    def clients(self) -> list[str]:
        """Return the identifiers of all clients of the scheduler; empty if it does not allow the query."""
        try:
            return self._client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.clients))
        except Exception:  # disallowed by its configuration or version
            return []

    def ask(self, calls: Sequence[WorkerCall], within: float | None = None) -> list[Any]:
        """Return the results in order; None for a call if its worker is lost or no longer holds the share."""
        within = self.timeout if within is None else within
        until, futures, results = time.monotonic() + within, list[Any](), list[Any]()
        try:
            for call in calls:
                try:
                    futures.append(self._client.submit(call.function, *call.arguments, workers=[call.address], pure=False))
                except Exception:
                    self.workers()  # raises ClusterLost if the scheduler is gone
                    raise
            for future, call in zip(futures, calls, strict=True):
                results.append(self._result(future, call, until))
            return results
        except TimeoutError:
            late = [call for place, call in enumerate(calls) if place == len(results) or not futures[place].done()]
            names = "; ".join(f"worker {call.address}, asked to {call.what}" for call in late)
            raise ClusterLost(f"no answer within {within:g} s from {names}. It hangs, or timeout is too short: end that "
                              "worker's process (another one then rebuilds its share) and repeat the call; nothing is lost"
                              ) from None
        finally:
            for future in futures:
                future.release()

    def _result(self, future: Any, call: WorkerCall, until: float) -> Any:
        """Return the result of a call; None if its worker is lost.

        Raises
        ------
        TimeoutError
            If a worker that is still registered has not answered by ``until``.
        """
        from distributed.scheduler import KilledWorker

        try:
            while True:
                late = time.monotonic() > until
                try:
                    return future.result(timeout=ANSWER_WITHIN if future.done() else POLL_EVERY)
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
            raise ValueError(f"worker {call.address} failed to {call.what} ({type(error).__name__}: {error}); fix the cause "
                             "and continue: the rows were accepted and are processed once that worker can") from error
