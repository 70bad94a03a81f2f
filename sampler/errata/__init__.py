"""Misprints and false statements of the papers, each with an executable counterexample.

Every record of ``ERRATA`` states where a paper's text is a misprint or false, gives the correct statement, and computes the
printed and the true number. The records refer to the papers' texts as converted to plain text: places where the conversion
may be at fault are omitted.
"""

import tomllib
from pathlib import Path
from typing import Any

from sampler.errata import counterexamples
from sampler.errata.erratum import PAPERS, Counterexample, Erratum


def _erratum(setting: str, quantity: str, relation: str = "equal", **record: Any) -> Erratum:
    """Return a record of the file; the counterexample of the key "first-distance" is ``_first_distance``."""
    def example() -> Counterexample:
        printed, true, *mended = getattr(counterexamples, f"_{record['key'].replace('-', '_')}")()
        return Counterexample(setting, quantity, printed, true, relation, *mended)

    return Erratum(**record, example=example)


ERRATA: tuple[Erratum, ...] = tuple(
    _erratum(**record)
    for record in tomllib.loads(Path(__file__).with_name("records.toml").read_text(encoding="utf-8"))["erratum"])
"""Every record, in the order of the papers."""

__all__ = ["ERRATA", "PAPERS", "Counterexample", "Erratum"]
