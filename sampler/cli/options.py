"""Options shared by the commands: data source and format, model, and Dask cluster."""

import argparse
import logging
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sampler.streams.category_columns import chosen_levels
from sampler.streams.column_choice import MODELS
from sampler.streams.data_stream import DataStream
from sampler.streams.sql_query import SqlQuery
from sampler.tuning.workers import PLAIN_TCP, connect, import_distributed

TLS = {"tls_ca": "distributed.comm.tls.ca-file", "tls_cert": "distributed.comm.tls.client.cert",
       "tls_key": "distributed.comm.tls.client.key"}


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options of data or query, of ``DataStream`` and of the model; threads and progress."""
    parser.add_argument("data", nargs="?", help="file, folder, or - for standard input; not needed for a GradientOracle")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of the chains in this process (default: all "
                        "available cores; workers of a sweep use one each); results do not depend on the number")
    group = parser.add_argument_group("database, in place of data")
    group.add_argument("--sql", metavar="DATABASE", help="a SQLite file, sqlite:///file, or postgresql://... "
                       "(needs psycopg)")
    group.add_argument("--query", metavar="SELECT", help="SELECT statement of the rows")
    group.add_argument("--key", metavar="COLUMN", help="column of the query with distinct values that orders the rows; "
                       "not a feature")
    group.add_argument("--late", type=int, default=1_000, metavar="N", help="query the last N keys again for late rows, "
                       "while waiting and on resuming (default 1000)")
    group = parser.add_argument_group("data")
    group.add_argument("--response", help="response column, by name or number from 1 (default: one named y, label, "
                       "target, class, outcome or response, else the last)")
    group.add_argument("--features", help="feature columns, separated by commas (default: all others)")
    group.add_argument("--no-intercept", dest="intercept", action="store_false", default=None,
                       help="do not add a feature that is always 1")
    group.add_argument("--scale", action="store_true", default=None,
                       help="standardise features as they arrive; the scale is fixed after 1,000 rows")
    group.add_argument("--classes", help="the two response values that mean 0 and 1, e.g. no,yes")
    group.add_argument("--positive", metavar="VALUE", help="response value that means 1; every other means 0")
    group.add_argument("--categories", metavar="COLUMNS", help="categorical columns, separated by commas, to encode "
                       "as 0/1 columns; tune stores their levels")
    group.add_argument("--separator", help="of a text file (default: detected)")
    group.add_argument("--decimal", choices=[".", ","], help="decimal mark of a text file (default: detected)")
    group.add_argument("--encoding", help="of a text file, such as cp1251 (default: detected)")
    header = group.add_mutually_exclusive_group()
    header.add_argument("--header", action="store_true", default=None, help="the first line holds names")
    header.add_argument("--no-header", dest="header", action="store_false", help="the first line holds data")
    model = parser.add_argument_group("model")
    model.add_argument("--model", choices=MODELS, help="default: logistic if the response has two values")
    prior = model.add_mutually_exclusive_group()
    prior.add_argument("--prior-precision", type=float, help="of every coordinate (default 1)")
    prior.add_argument("--prior-sd", metavar="SD[,SD...]", help="standard deviation of the prior: one for all coefficients,"
                       " or one for each in the order of output; inf is a flat prior")
    model.add_argument("--noise-std", type=float, help="noise standard deviation of linear regression (default 1)")
    model.add_argument("--problem", metavar="MODULE:NAME", help="a user-defined problem, e.g. a GradientOracle; the "
                       "current folder is searched")
    model.add_argument("--terms", type=int, help="number of data of a GradientOracle")


def source_of(options: argparse.Namespace) -> Any:
    """Return the path, ``-`` or query to read from; None without one."""
    chosen = {"--sql": options.sql, "--query": options.query, "--key": options.key}
    if all(value is None for value in chosen.values()):
        return options.data
    missing = [name for name, value in chosen.items() if not value]
    if missing:
        raise ValueError(f"{missing[0]} is missing: a query requires {', '.join(chosen)}")
    if options.data is not None:
        raise ValueError(f"data must be left out with --sql, got {options.data!r}")
    return SqlQuery(options.sql, options.query, options.key, late=options.late)


def source_record(options: argparse.Namespace) -> dict[str, str]:
    """Return the description of the source for a ``tuned.toml``; a database address without user and password."""
    if options.sql is None:
        return {"name": Path(options.data).name}
    scheme, _, rest = options.sql.partition("://")
    server = f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"
    name = server if _is_server(options.sql) else Path(rest or options.sql).name
    return {"name": name, "query": options.query, "key": options.key}


def shell_source(options: argparse.Namespace) -> str:
    """Return the source as shell arguments."""
    if options.sql is None:
        return shlex.quote(options.data) if options.data else ""
    database = source_record(options)["name"] if _is_server(options.sql) else options.sql
    return shlex.join(["--sql", database, "--query", options.query, "--key", options.key])


def _is_server(database: str) -> bool:
    scheme, separator, _ = database.partition("://")
    return bool(separator) and scheme != "sqlite"


def reading_of(options: argparse.Namespace, tuned: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the keyword arguments of ``DataStream``: those of a tuned file, overridden by the command line."""
    chosen = {"response": options.response, "features": options.features, "intercept": options.intercept,
             "scale": options.scale, "separator": {"tab": "\t", "\\t": "\t"}.get(options.separator, options.separator),
             "decimal": options.decimal,
             "header": options.header, "classes": _classes(options.classes), "encoding": options.encoding,
             "positive": options.positive,
             "categories": None if options.categories is None else chosen_levels(options.categories)}
    other = {"classes": options.positive, "positive": options.classes}  # each replaces the other of a tuned file
    tuned = {name: value for name, value in (tuned or {}).items() if other.get(name) is None}
    if chosen["categories"] is not None and isinstance(levels := tuned.get("categories"), dict):
        chosen["categories"] = {name: levels.get(name) for name in chosen["categories"]}
    return {**tuned, **{name: value for name, value in chosen.items() if value is not None}}


def model_of(options: argparse.Namespace, tuned: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the [model] table: that of a tuned file, overridden by the command line."""
    precision = options.prior_precision if options.prior_sd is None else _precisions(options.prior_sd)
    chosen = {"kind": options.model, "prior_precision": precision, "noise_std": options.noise_std,
             "problem": options.problem, "terms": options.terms}
    return {**(tuned or {}), **{name: value for name, value in chosen.items() if value is not None}}


def open_stream(source: Any, reading: dict[str, Any], kind: str | None, **more: Any) -> DataStream:
    """Return the stream of a path, a query, or standard input for ``-``; ``kind`` is the model, None to infer it."""
    if source is None:
        raise ValueError("data is missing: pass a file, a folder, - for standard input, or a query with --sql")
    if source == "-":  # not sys.stdin, which a waiting thread would prevent from being closed at the end
        source = open(0, "rb", buffering=0, closefd=False)
    return DataStream(source, model=kind, **reading, **more)


def _precisions(text: str) -> float | list[float]:
    """Parse prior standard deviations, one for all coefficients or one for each; return precisions."""
    try:
        deviations = [float(part) for part in text.split(",")]
    except ValueError:
        deviations = [0.0]
    if not all(sd > 0 for sd in deviations):
        raise ValueError(f"--prior-sd must be a number above 0, or one for each coefficient, separated by commas; got"
                         f" {text!r}. Write 10, or 10,2.5,2.5; inf is a flat prior.")
    precisions = [sd**-2.0 for sd in deviations]
    return precisions[0] if len(precisions) == 1 else precisions


def _classes(text: str | None) -> Any:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    try:
        return [float(part) for part in parts]
    except ValueError:
        return parts


def add_cluster(parser: argparse.ArgumentParser, what: str) -> argparse._ArgumentGroup:
    """Add the options of a cluster described by ``what``; return the group for further options."""
    group = parser.add_argument_group("cluster", "Connections use TLS, or stay on this machine.")
    group.add_argument("--scheduler", metavar="ADDRESS", help=f"{what}, e.g. tcp://127.0.0.1:8786 or tls://host:8786")
    group.add_argument("--tls-ca", metavar="FILE", help="certificate of the authority, for tls:// (default: Dask's "
                       "configuration)")
    group.add_argument("--tls-cert", metavar="FILE", help="certificate of this machine")
    group.add_argument("--tls-key", metavar="FILE", help="its key")
    group.add_argument("--plain-tcp", action="store_true", help="allow tcp:// to another host; anyone on the network "
                       "between can then read the rows and run programs on the workers")
    return group


@contextmanager
def cluster_client(options: argparse.Namespace) -> Iterator[Any]:
    """Yield a client of ``--scheduler``, closed at the end; None without that option."""
    with cluster_config(options):
        if options.scheduler is None:
            yield None
            return
        logging.disable(logging.CRITICAL)  # Dask logs internals; this library reports errors to the user
        try:
            with connect(options.scheduler) as client:
                yield client
        finally:
            logging.disable(logging.NOTSET)


@contextmanager
def cluster_config(options: argparse.Namespace) -> Iterator[None]:
    """Apply the connection options to Dask's configuration."""
    config = {key: getattr(options, name) for name, key in TLS.items() if getattr(options, name) is not None}
    if options.scheduler is None:
        if config or options.plain_tcp:
            raise ValueError("scheduler is missing: the --tls options and --plain-tcp require --scheduler ADDRESS")
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
