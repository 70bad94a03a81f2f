"""One-line mutations of the library's formulas, each with the test that must fail: ``python -m tests.mutants``.

Each mutant is applied to a temporary copy of the tree, its test runs there, and the result is printed. The exit code is 1 if
a mutant survives or no longer applies.
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.formulas import MUTANTS
from tests.mutants.mutant import Mutant
from tests.mutants.workshop import Workshop

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Run the mutants; return 0 if all are killed by their tests, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition(":")[0])
    parser.add_argument("--only", default="", help="run only mutants with this text in their line or test")
    only = parser.parse_args(arguments).only
    mutants = [m for m in MUTANTS if only in m.name + m.test]
    if not mutants:
        parser.error(f"--only must be in the line or test of a mutant; got {only!r}")
    with TemporaryDirectory(prefix="exit-time-lab-mutants-") as folder:
        return report(Workshop(ROOT, Path(folder)), mutants)


def report(workshop: Workshop, mutants: list[Mutant]) -> int:
    """Run the mutants and print one line per mutant and the total."""
    tests = sorted({"tests/sampler/" + m.test for m in mutants})
    passed, output = workshop.passes(tests)
    if not passed:
        print(f"The tests must pass without a mutant first:\n{output}")
        return 1
    survivors = []
    for mutant in mutants:
        began = time.monotonic()
        killed, output = workshop.killed(mutant)
        word = "killed" if killed else "SURVIVED" if killed is False else "BROKEN"
        print(f"{word:9}{time.monotonic() - began:4.0f} s  {mutant.name}", flush=True)
        if not killed:
            survivors.append(mutant)
            print(f"          {mutant.test}\n{output if killed is None else ''}", flush=True)
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} killed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
