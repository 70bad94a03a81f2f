"""Misprints and false statements of the papers, each with a counterexample that runs.

Every record of ``ERRATA`` says where a paper's text cannot be meant or is not so, what holds instead, and computes the
printed number beside the true one. They were found while the algorithms were written, and are of the papers' texts as
converted to plain text: a place where the conversion may be at fault is left out.
"""

import tomllib
from pathlib import Path
from typing import Any

from sampler.errata import counterexamples
from sampler.errata.erratum import PAPERS, Counterexample, Erratum


def _erratum(setting: str, quantity: str, relation: str = "equal", **record: Any) -> Erratum:
    """Return a record of the file, and with "first-distance" for its key the counterexample of ``_first_distance``."""
    def example() -> Counterexample:
        printed, true, *mended = getattr(counterexamples, f"_{record['key'].replace('-', '_')}")()
        return Counterexample(setting, quantity, printed, true, relation, *mended)

    return Erratum(**record, example=example)


ERRATA: tuple[Erratum, ...] = tuple(
    _erratum(**record)
    for record in tomllib.loads(Path(__file__).with_name("records.toml").read_text(encoding="utf-8"))["erratum"])
"""Every record, in the order of the papers."""

__all__ = ["ERRATA", "PAPERS", "Counterexample", "Erratum"]
