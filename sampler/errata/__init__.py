"""Misprints and false statements of the papers, each with a counterexample that runs.

Every record of ``ERRATA`` says where a paper's text cannot be meant or is not so, what holds instead, and computes the
printed number beside the true one. They were found while the algorithms were written, and are of the papers' texts as
converted to plain text: a place where the conversion may be at fault is left out.
"""

from sampler.errata import chc, lmv_algorithm, lmv_application, lmv_exit_time, lmv_total_variation, zxg
from sampler.errata.erratum import PAPERS, Counterexample, Erratum

ERRATA: tuple[Erratum, ...] = (*lmv_algorithm.RECORDS, *lmv_exit_time.RECORDS, *lmv_total_variation.RECORDS,
                               *lmv_application.RECORDS, *zxg.RECORDS, *chc.RECORDS)

__all__ = ["ERRATA", "PAPERS", "Counterexample", "Erratum"]
