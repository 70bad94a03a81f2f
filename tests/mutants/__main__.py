"""One-line mutations of the library's formulas, each with the test that must notice it: ``python -m tests.mutants``.

Each is put into a temporary copy of the tree, never the tree itself; its test runs there, and whether it was killed is said.
A mutant that survives, or whose line is no longer there, makes the exit code 1.
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
    """Run the mutants; 0 when every one is killed by its test, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition(":")[0])
    parser.add_argument("--only", default="", help="those whose line or test has this in it")
    only = parser.parse_args(arguments).only
    mutants = [m for m in MUTANTS if only in m.name + m.test]
    if not mutants:
        parser.error(f"--only must be in the line or test of a mutant; got {only!r}")
    with TemporaryDirectory(prefix="exit-time-lab-mutants-") as folder:
        return report(Workshop(ROOT, Path(folder)), mutants)


def report(workshop: Workshop, mutants: list[Mutant]) -> int:
    """Run each, print a line each, and the sum."""
    tests = sorted({"tests/sampler/" + m.test for m in mutants})
    passed, output = workshop.passes(tests)
    if not passed:
        print(f"The tests must pass without a mutant first:\n{output}")
        return 1
    left = []
    for mutant in mutants:
        began = time.monotonic()
        killed, output = workshop.killed(mutant)
        word = "killed" if killed else "SURVIVED" if killed is False else "BROKEN"
        print(f"{word:9}{time.monotonic() - began:4.0f} s  {mutant.name}", flush=True)
        if not killed:
            left.append(mutant)
            print(f"          {mutant.test}\n{output if killed is None else ''}", flush=True)
    print(f"{len(mutants) - len(left)} of {len(mutants)} killed")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
