"""What ``panel serve app --args ...`` hands over: a problem of one's own, a scheduler, threads, a class, visits."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from functools import lru_cache

from app.user_data import Given
from sampler.chain_blocks import checked_threads
from sampler.problems import load_problem

SEATS, MOST_SEATS = 60, 512
"""Of a class: as opened, and at most, one for each chain that Live can have."""
MOST_VISITS = 10_000


@dataclass(frozen=True)
class Arguments:
    """The command line, made concrete; `words` says what was wrong with it."""

    given: Given | None = None
    scheduler: str | None = None  #: address of a Dask scheduler for sweeps
    threads: int = 1  #: of each session's chains
    classroom: int | None = None  #: seats of a class; None: the server holds none
    visits: int | None = None  #: at once, in this process; None: as many as the server takes by itself
    words: tuple[str, ...] = ()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        raise ValueError(f"{message}. Known arguments: --problem module:name, --terms N, --scheduler tcp://host:port, "
                         "--threads N, --classroom [SEATS], --visits N.")


@lru_cache(maxsize=4)
def read(argv: tuple[str, ...]) -> Arguments:
    """Read a command line. Never raises: the pages open without what is wrong, and say so.

    ``--problem module:name``
        A problem of the library, or a function that makes one; the current folder is searched. A problem with
        rows of its own carries them as the attributes ``features`` and ``labels``.
    ``--terms N``
        Terms that a GradientOracle knows; not needed where the problem has an attribute ``terms`` or data.
    ``--scheduler tcp://host:port``
        Sweeps run on this Dask cluster instead of local processes.
    ``--threads N``
        Cores that the chains of one session may use, 1 if not given: visitors share the machine.
    ``--classroom [SEATS]``
        Hold a class: students follow the teacher's page. So many of them have chains of their own, 60 if not said.
    ``--visits N``
        Tabs that are served at once, 40 and a class's seats if not given; further ones wait in line.
    """
    parser = _Parser(prog="panel serve app --args", add_help=False)
    parser.add_argument("--problem")
    parser.add_argument("--terms", type=int)
    parser.add_argument("--scheduler")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--classroom", type=int, nargs="?", const=SEATS)
    parser.add_argument("--visits", type=int)
    try:
        options = parser.parse_args(list(argv))
        threads, seats = checked_threads(options.threads), _checked_seats(options.classroom)
        told = Arguments(None, options.scheduler, threads, seats, _checked_visits(options.visits))
    except ValueError as wrong:
        return Arguments(words=(f"The command line was not understood: {wrong}",))
    if options.problem is None:
        return told
    try:
        given = named(options.problem, options.terms)
    except Exception as wrong:  # the user's code may raise anything
        words = str(wrong) if isinstance(wrong, ValueError) else f"{type(wrong).__name__}: {wrong}"
        return replace(told, words=(f"The pages open without your problem. {words}",))
    return replace(told, given=given)


def _checked_seats(seats: int | None) -> int | None:
    if seats is not None and not 1 <= seats <= MOST_SEATS:
        raise ValueError(f"--classroom must be followed by a whole number of seats from 1 to {MOST_SEATS}, or by none for"
                         f" {SEATS}; got {seats}")
    return seats


def _checked_visits(visits: int | None) -> int | None:
    if visits is not None and not 1 <= visits <= MOST_VISITS:
        raise ValueError(f"--visits must be a whole number from 1 to {MOST_VISITS}; got {visits}")
    return visits


def named(name: str, terms: int | None = None) -> Given:
    """Return the problem ``module:name`` with its data.

    Raises
    ------
    ValueError
        When there is no such problem, or nothing says how many terms it has.
    """
    problem = load_problem(name)
    features, labels = getattr(problem, "features", None), getattr(problem, "labels", None)
    if features is not None:
        problem.posterior(features, labels) if labels is not None else problem.posterior(features)  # checks them
        return Given(name, problem, features, labels, terms, source=name)
    if problem.kind != "oracle":
        raise ValueError(f"{name} is a {type(problem).__name__} without data: set its attributes features and labels, or"
                         " load a file on the Tune page.")
    terms = terms or getattr(problem, "terms", None)
    if terms is None:
        raise ValueError(f"{name} knows its gradients but not how many data there are: add --terms N, or set its"
                         " attribute terms.")
    return Given(name, problem, length=int(terms), source=name)
