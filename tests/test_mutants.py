"""Every mutant applies to the library as it stands, and (slow) none survives."""

from pathlib import Path

import pytest

from tests.mutants.__main__ import main
from tests.mutants.formulas import MUTANTS

ROOT = Path(__file__).resolve().parents[1]


def test_every_mutant_applies_and_names_a_test():
    """When a formula is rewritten its mutant must be too: python -m tests.mutants."""
    assert len(MUTANTS) >= 60 and len(set(MUTANTS)) == len(MUTANTS)
    gone = [m.name for m in MUTANTS if m.file(ROOT) is None]
    assert gone == []
    assert all(mutant.old != mutant.new and "::" in mutant.test for mutant in MUTANTS)


@pytest.mark.slow
def test_no_mutant_of_the_theory_survives():
    """A part that needs a minute or two: the rest is ``python -m tests.mutants``."""
    assert main(["--only", "theory/"]) == 0
