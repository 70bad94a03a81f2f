"""First rows of a stream for ``tune``: checked, without redundant features, and with their reading."""

import argparse
import sys
from typing import Any

import numpy as np

from sampler.arguments import whole_number
from sampler.cli.options import model_of, open_stream, reading_of, source_of, source_record
from sampler.problems.problem_by_name import load_problem
from sampler.production.tuned import Tuned, built_in_problem
from sampler.settings import Settings
from sampler.streams.chunk import Rebatch
from sampler.streams.row_encoding import UNEQUAL, spread_ratio
from sampler.tuning.sweep import SHORTEST


def problem_and_rows(options: argparse.Namespace, rows: int) -> tuple[Any, ...]:
    """Return problem, features, labels, number of terms, and a `Tuned` with the model, reading and data description."""
    model = model_of(options)
    own = load_problem(model["problem"]) if "problem" in model else None
    if own is not None and own.kind == "oracle":
        terms = min(rows, whole_number("terms", model.get("terms", rows), SHORTEST, 10**12))
        return own, None, None, terms, Tuned(Settings(), model, data={"rows": terms})
    reading = reading_of(options)
    stream = open_stream(source_of(options), reading, own.kind if own else model.get("kind"))
    block: Any = Rebatch(stream).take(rows)
    count = 0 if block is None else len(block[0])
    report = stream.report()
    for words in () if options.quiet else report.words():
        print(words, file=sys.stderr)
    if count < SHORTEST:
        raise ValueError(f"data: {source_record(options)['name']!r} has {count} usable row{'' if count == 1 else 's'}; "
                         f"{SHORTEST} or more are needed to tune; " + ("; ".join(report.dropped) or "wait for more"))
    if report.model == "logistic" and len(set(block[1].tolist())) < 2:
        raise ValueError(f"response: all of the first {count:,} rows have the same class; shuffle the rows, or tune on "
                         "more of them (--rows)")
    block, names = _drop_constant(block, stream, reading, own, options)
    _hint_scale(block[0], reading, own, options)
    if own is None:
        model = {k: v for k, v in {**model, "kind": stream.model}.items() if k != "terms"}
    reading = {**reading, "response": report.response, "features": names,
               "classes": list(report.classes) if report.classes and stream.positive is None else None,
               "categories": {name: list(levels) for name, levels in report.categories.items()} or None,
               "decimal": "," if stream.decimal == "," else None}
    data = {**source_record(options), "rows": count, "fingerprint": stream.fingerprint}
    tuned = Tuned(Settings(), model, reading={k: v for k, v in reading.items() if v is not None}, data=data)
    return own or built_in_problem(model, block[0].shape[1]), *block, None, tuned


def _drop_constant(block: Any, stream: Any, reading: dict[str, Any], own: Any,
                   options: argparse.Namespace) -> tuple[Any, ...]:
    """Leave out constant features, which are not distinguishable from the intercept."""
    names = list(stream.report().features)
    features, labels = block
    twins = [name for name in stream.report().constant if name in names and features[:, stream.names.index(name)].any()]
    if own is not None or not stream.intercept or reading.get("features") or not twins or len(twins) == len(names):
        return block, names
    if not options.quiet:
        print(f"left out as redundant with the intercept: {', '.join(map(repr, twins))}", file=sys.stderr)
    columns = [j for j, name in enumerate(stream.names) if name not in twins]
    return (np.ascontiguousarray(features[:, columns]), labels), [name for name in names if name not in twins]


def _hint_scale(features: np.ndarray, reading: dict[str, Any], own: Any, options: argparse.Namespace) -> None:
    """Print a hint if the spreads of features are too different for a common step size."""
    if own is not None or reading.get("scale") or options.quiet:
        return
    ratio = spread_ratio(features)
    if ratio > UNEQUAL:
        print(f"hint: the spreads of two columns differ by a factor of {ratio:,.0f}, so no step size suits both: "
              "try --scale", file=sys.stderr)
