"""Run the groups asked for (all by default), print one table, save it if told to."""

import argparse
import importlib
import json
from dataclasses import asdict

from tests.benchmarks.harness import machine

GROUPS = ("kernels", "start", "accuracy", "exit", "ui")


def main() -> None:
    """``python -m tests.benchmarks [group ...] [--quick] [--save table.json]``."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", default=GROUPS, help=f"of {', '.join(GROUPS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, t up to 1e5, one seed")
    parser.add_argument("--save", metavar="FILE", help="also write the table as JSON")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.groups) - set(GROUPS))
    if unknown:
        parser.error(f"no group {unknown[0]!r}; there are {', '.join(GROUPS)}")
    print(machine(), "\n\n| what | measured | target | |\n|---|---|---|---|", sep="")
    table = []
    for group in arguments.groups:
        for row in importlib.import_module(f"tests.benchmarks.{group}").rows(arguments.quick):
            verdict = "" if row.met is None else "met" if row.met else "**missed**"
            print(f"| {row.name} | {row.measured} | {row.target} | {verdict} |", flush=True)
            table.append(asdict(row))
    if arguments.save:
        with open(arguments.save, "w") as file:
            json.dump({"machine": machine(), "rows": table}, file, indent=1)


if __name__ == "__main__":
    main()
