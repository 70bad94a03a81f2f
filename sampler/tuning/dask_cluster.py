"""A Dask cluster for sweeps and replays: its client, over TLS or on this machine, and workers that run cells."""

import ipaddress
from concurrent.futures import CancelledError, Future
from typing import Any
from urllib.parse import urlsplit

from sampler.settings import Settings
from sampler.tuning.sweep_cell import SweepJob, dumps, run_packed

ANSWER_WITHIN = 10.0  # seconds a scheduler may take
UNENCRYPTED = ("tcp", "ws", "ucx", "ucxx")
PLAIN_TCP = "distributed.comm.require-encryption"
"""Key of Dask's own configuration that, where it is false and not just unset, allows `connect` a scheduler without TLS."""


def connect(address: str) -> Any:
    """Return a ``distributed.Client`` of the scheduler at ``address``, e.g. ``tcp://127.0.0.1:8786``.

    Certificates of ``tls://`` are those of Dask's configuration (``distributed.comm.tls``).

    Raises
    ------
    ValueError
        Without the package, for a scheduler or a worker (of those it has now) on another host without TLS, and where none
        answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("scheduler needs the package distributed; pip install 'exit-time-lab[cluster]'") from None
    _refuse_unencrypted(address)
    _refuse_without_certificates(address)
    try:
        client = Client(address, timeout=ANSWER_WITHIN, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise ValueError(f"scheduler: none answers at {address!r} within {ANSWER_WITHIN:g} s ({' '.join(why.split())}); "
                         "start one with `dask scheduler` and workers with `dask worker`") from None
    try:
        for worker in client.nthreads():
            _refuse_unencrypted(worker, "worker")
    except ValueError:
        client.close()
        raise
    return client


def _refuse_unencrypted(address: str, whose: str = "scheduler") -> None:
    import dask

    if not isinstance(address, str) or not address:
        raise ValueError(f"scheduler must be an address such as tcp://127.0.0.1:8786, got {address!r}")
    scheme, found, _ = address.partition("://")
    if (scheme if found else "tcp") not in UNENCRYPTED or _on_this_machine(address):
        return
    if dask.config.get(PLAIN_TCP, None) is not False:
        raise ValueError(f"{whose}: {address!r} is on another host and not encrypted: whoever is on the network between "
                         "can read the rows and run programs on the workers. Use tls:// with --tls-ca, --tls-cert and "
                         "--tls-key (or Dask's configuration); where that network is yours alone, say --plain-tcp (or set "
                         f"{PLAIN_TCP} to false in Dask's configuration)")


def _refuse_without_certificates(address: str) -> None:
    from distributed.security import Security

    if not address.startswith("tls://"):
        return
    try:
        found = Security().get_connection_args("client").get("ssl_context") is not None
    except (OSError, ValueError) as error:
        raise ValueError(f"scheduler: the certificates for {address!r} cannot be used ({error}); check --tls-ca, --tls-cert "
                         "and --tls-key, or Dask's configuration") from None
    if not found:
        raise ValueError(f"scheduler: {address!r} needs certificates; give --tls-ca, --tls-cert and --tls-key, or set "
                         "distributed.comm.tls in Dask's configuration")


def _on_this_machine(address: str) -> bool:
    try:
        host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:  # a name
        return False


class WorkersLost(ValueError):
    """No worker is left; finished trials are safe in the study."""


class DaskCluster:
    """Workers of a Dask cluster that is running already, e.g. ``tcp://127.0.0.1:8786``."""

    def __init__(self, address: str) -> None:
        self._client = connect(address)
        self._address = address
        self._executor = self._client.get_executor(pure=False)
        self.workers = max(1, sum(self._client.nthreads().values()))

    def give(self, job: SweepJob) -> None:
        """Hand the job to every worker."""
        self._payload = dumps(job)
        self._scatter()

    def _scatter(self) -> None:
        try:
            self._data = self._client.scatter(self._payload, broadcast=True, hash=False)
        except Exception as error:
            raise WorkersLost(self._words(error)) from None

    def submit(self, settings: Settings, rung: int) -> Future[Any]:
        """Start one cell."""
        try:
            return self._executor.submit(run_packed, self._data, settings, rung)
        except Exception as error:
            raise WorkersLost(self._words(error)) from None

    def is_loss(self, error: BaseException) -> bool:
        """Return whether the worker died rather than the cell failed; raise WorkersLost if the scheduler is gone."""
        from distributed.scheduler import KilledWorker

        if self._client.status != "running":
            raise WorkersLost(self._words(error)) from None
        lost = isinstance(error, (KilledWorker, CancelledError))
        if lost:
            self._scatter()
        return lost

    def check(self) -> None:
        """Raise WorkersLost once the client is closed: what was sent while it closed would be waited for without end."""
        if self._client.status == "closed":
            raise WorkersLost(self._words(ConnectionError()))

    def _words(self, error: Any) -> str:
        return (f"scheduler: {self._address!r} does not answer any more ({type(error).__name__}); finished trials are "
                "kept in the study: start it again and sweep again")

    def close(self) -> None:
        """Drop what is at work and leave; the cluster goes on."""
        try:
            if self._client.status == "running":  # a client that is closed has dropped it, and refuses to be told
                self._executor.shutdown(wait=False)
        finally:
            self._client.close(timeout=2)
