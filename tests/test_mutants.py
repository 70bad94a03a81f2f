"""Every mutant applies to the current library, and (slow) none survives."""

import pytest

from tests.mutants.__main__ import main
from tests.mutants.formulas import MUTANTS
from tests.sources import ROOT


def test_every_mutant_applies_and_names_a_test():
    """A rewritten formula needs a rewritten mutant: python -m tests.mutants."""
    assert len(MUTANTS) >= 60 and len(set(MUTANTS)) == len(MUTANTS)
    gone = [m.name for m in MUTANTS if m.file(ROOT) is None]
    assert gone == []
    assert all(mutant.old != mutant.new and "::" in mutant.test for mutant in MUTANTS)


@pytest.mark.slow
def test_no_mutant_of_the_theory_survives():
    """The theory only, a minute or two; run all with ``python -m tests.mutants``."""
    assert main(["--only", "theory/"]) == 0
