"""Options that say which Dask cluster to use and how to reach it, shared by the commands."""

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sampler.tuning.scheduler_client import PLAIN_TCP, connect

TLS = {"tls_ca": "distributed.comm.tls.ca-file", "tls_cert": "distributed.comm.tls.client.cert",
       "tls_key": "distributed.comm.tls.client.key"}


def add_cluster(parser: argparse.ArgumentParser, what: str) -> argparse._ArgumentGroup:
    """Options of the cluster that does ``what``; the group, for more of them."""
    group = parser.add_argument_group("cluster", "Connections are made over TLS, or stay on this machine.")
    group.add_argument("--scheduler", metavar="ADDRESS", help=f"{what}, e.g. tcp://127.0.0.1:8786 or tls://host:8786")
    group.add_argument("--tls-ca", metavar="FILE", help="certificate of the authority, for tls:// (default: Dask's "
                       "configuration)")
    group.add_argument("--tls-cert", metavar="FILE", help="certificate of this machine")
    group.add_argument("--tls-key", metavar="FILE", help="its key")
    group.add_argument("--plain-tcp", action="store_true", help="allow tcp:// to another host: whoever is on the network "
                       "between can read the rows and run programs on the workers")
    return group


@contextmanager
def cluster_client(options: argparse.Namespace) -> Iterator[Any]:
    """Client of ``--scheduler``, closed in the end; None without that option."""
    with cluster_config(options), _quiet():
        with connect(options.scheduler) if options.scheduler is not None else nullcontext() as client:
            yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Dask's own log, which is of its inside: what a user must know is said by this library."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    loggers = [logger for logger in map(logging.getLogger, names) if not logger.disabled]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger in loggers:
            logger.disabled = False


@contextmanager
def cluster_config(options: argparse.Namespace) -> Iterator[None]:
    """Dask's configuration with what the options say of connections."""
    given = {key: getattr(options, name) for name, key in TLS.items() if getattr(options, name) is not None}
    if options.scheduler is None:
        if given or options.plain_tcp:
            raise ValueError("scheduler must be given with the --tls options and --plain-tcp: --scheduler ADDRESS")
        yield
        return
    for key, path in given.items():
        if not Path(path).is_file():
            raise ValueError(f"{key.rpartition('.')[2]}: there is no file {path!r}; check the path")
    if options.plain_tcp:
        given[PLAIN_TCP] = False
    try:
        import dask
        import distributed  # noqa: F401 - its loggers exist from here on
    except ImportError:
        raise ValueError("scheduler needs the package distributed; pip install 'exit-time-lab[cluster]'") from None
    with dask.config.set(given):
        yield
