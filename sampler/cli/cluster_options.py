"""Options that say which Dask cluster to use and how to reach it, shared by the commands."""

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sampler.tuning.workers import PLAIN_TCP, connect, import_distributed

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
    with cluster_config(options):
        if options.scheduler is None:
            yield None
            return
        logging.disable(logging.CRITICAL)  # Dask logs its inside: what a user must know is said by this library
        try:
            with connect(options.scheduler) as client:
                yield client
        finally:
            logging.disable(logging.NOTSET)


@contextmanager
def cluster_config(options: argparse.Namespace) -> Iterator[None]:
    """Dask's configuration with what the options say of connections."""
    config = {key: getattr(options, name) for name, key in TLS.items() if getattr(options, name) is not None}
    if options.scheduler is None:
        if config or options.plain_tcp:
            raise ValueError("scheduler must be given with the --tls options and --plain-tcp: --scheduler ADDRESS")
        yield
        return
    for key, path in config.items():
        if not Path(path).is_file():
            raise ValueError(f"{key.rpartition('.')[2]}: there is no file {path!r}; check the path")
    if options.plain_tcp:
        config[PLAIN_TCP] = False
    import_distributed()
    import dask

    with dask.config.set(config):
        yield
