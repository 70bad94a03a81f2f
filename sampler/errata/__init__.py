"""Misprints and false statements of the papers, each with a counterexample that runs.

Every record of ``ERRATA`` says where a paper's text cannot be meant or is not so, what holds instead, and computes the
printed number beside the true one. They were found while the algorithms were written, and are of the papers' texts as
converted to plain text: a place where the conversion may be at fault is left out.
"""

import tomllib
from pathlib import Path
from typing import Any

from sampler.errata import lmv_algorithm, lmv_exit_time, zxg_chc
from sampler.errata.erratum import PAPERS, Counterexample, Erratum

NUMBERS = vars(lmv_algorithm) | vars(lmv_exit_time) | vars(zxg_chc)
"""By name; ``_first_distance`` computes the numbers of the record of ``records.toml`` whose key is "first-distance"."""


def _erratum(setting: str, quantity: str, relation: str = "equal", **record: Any) -> Erratum:
    """Return a record of the file with its counterexample."""
    def example() -> Counterexample:
        printed, true, *mended = NUMBERS[f"_{record['key'].replace('-', '_')}"]()
        return Counterexample(setting, quantity, printed, true, relation, *mended)

    return Erratum(**record, example=example)


ERRATA: tuple[Erratum, ...] = tuple(
    _erratum(**record)
    for record in tomllib.loads(Path(__file__).with_name("records.toml").read_text(encoding="utf-8"))["erratum"])
"""Every record, in the order of the papers."""

__all__ = ["ERRATA", "PAPERS", "Counterexample", "Erratum"]
