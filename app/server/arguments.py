"""Parser of ``panel serve app --args ...``: own problem, scheduler, threads, visits, arguments of extras."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from functools import lru_cache

from app.chrome.extras import registered
from app.state.user_data import UserData
from sampler.problems import load_problem
from sampler.threads import checked_threads

MOST_VISITS = 10_000


@dataclass(frozen=True)
class Arguments:
    """Parsed command line; `words` are its errors."""

    user_data: UserData | None = None
    scheduler: str | None = None  #: address of a Dask scheduler for sweeps
    threads: int = 1  #: for the chains of each session
    visits: int | None = None  #: limit at once in this process; None: the default
    words: tuple[str, ...] = ()
    options: argparse.Namespace = field(default_factory=argparse.Namespace)  #: all options, also those of extras


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        usage = " ".join(self.format_usage().split()).removeprefix(f"usage: {self.prog} ")
        raise ValueError(f"{message}. Known arguments: {usage}.")


@lru_cache(maxsize=4)
def read(argv: tuple[str, ...]) -> Arguments:
    """Parse a command line. Never raises: the pages open without the invalid part and display the error.

    ``--problem module:name``
        A problem of the library, or a function that returns one; the current folder is searched. A problem with
        its own rows has them as attributes ``features`` and ``labels``.
    ``--terms N``
        Number of terms of a GradientOracle; not needed if the problem has data or an attribute ``terms``.
    ``--scheduler tcp://host:port``
        Dask cluster for sweeps, instead of local processes.
    ``--threads N``
        Cores for the chains of one session, 1 by default: visits share the machine.
    ``--visits N``
        Maximum number of tabs, 40 plus those of extras by default; further ones display that the server is full.

    Extras add arguments, such as ``--classroom [SEATS]``.
    """
    parser = _Parser(prog="panel serve app --args", add_help=False)
    parser.add_argument("--problem", metavar="module:name")
    parser.add_argument("--terms", type=int, metavar="N")
    parser.add_argument("--scheduler", metavar="tcp://host:port")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--visits", type=_visits, metavar="N")
    for extra in registered():
        extra.add_arguments(parser)
    try:
        options = parser.parse_args(list(argv))
        arguments = Arguments(None, options.scheduler, checked_threads(options.threads), options.visits, options=options)
    except ValueError as wrong:
        return Arguments(words=(f"The command line is invalid: {wrong}",))
    if options.problem is None:
        return arguments
    try:
        user_data = named(options.problem, options.terms)
    except Exception as wrong:  # user code may raise any exception
        words = str(wrong) if isinstance(wrong, ValueError) else f"{type(wrong).__name__}: {wrong}"
        return replace(arguments, words=(f"The pages open without your problem. {words}",))
    return replace(arguments, user_data=user_data)


def _visits(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_VISITS:
        raise argparse.ArgumentTypeError(f"it must be a whole number from 1 to {MOST_VISITS}; got {text}")
    return int(text)


def named(name: str, terms: int | None = None) -> UserData:
    """Return the problem ``module:name`` with its data.

    Raises
    ------
    ValueError
        If there is no such problem, or its number of terms is missing.
    """
    problem = load_problem(name)
    features, labels = getattr(problem, "features", None), getattr(problem, "labels", None)
    if features is not None:
        problem.posterior(features, labels) if labels is not None else problem.posterior(features)  # checks them
        return UserData(name, problem, features, labels, terms, source=name)
    if problem.kind != "oracle":
        raise ValueError(f"{name} is a {type(problem).__name__} without data: set its attributes features and labels, or"
                         " load a file on the Tune page.")
    terms = terms or getattr(problem, "terms", None)
    if terms is None:
        raise ValueError(f"{name} has no number of terms: add --terms N, or set its"
                         " attribute terms.")
    return UserData(name, problem, length=int(terms), source=name)
