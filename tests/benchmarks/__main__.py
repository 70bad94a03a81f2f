"""Benchmarks of the library and the app: ``python -m tests.benchmarks [names] [--quick] [--write]``.

Rows with a target are ratios of two contestants measured in turns in one run; absolute times are in notes.
"""

import argparse
import sys
import time
from dataclasses import replace
from importlib import import_module

from tests.benchmarks.timing import machine
from tests.benchmarks.written import DATA, write

GROUPS = {"kernels": "the growth of a step with the data, exit simulation, Coreset MCMC with Hot DoG",
          "sparse_rows": "d = 124 with 14 filled: what sparse rows would save a step and in memory",
          "peers": "against blackjax, NumPy and full-data methods",
          "contract": "evaluations, memory, own gradients, a row learnt, start-up",
          "threads": "two threads against one, by the clock",
          "workers": "a cluster of one and two workers against one thread, by the clock",
          "nuts": "why not NUTS: draws kept up to date with a stream, seconds of one core (minutes; only by its name)",
          "streaming": "which method to use when, restartable (hours; quick: 20 minutes; only by its name)",
          "advice": "the advised setting's runs against a sweep, forty streams, restartable (hour; only by its name)",
          "tune": "d = 124: preconditioned against plain at equal accuracy (minutes)",
          "bandit": "regret of Thompson sampling, SAGA-LD's draws against a Gaussian fit's (two minutes)",
          "plots": "figures: first drawing, refresh, change of theme",
          "document": "documents of the pages: models, seconds to build; figures that follow",
          "load": "20 visits of Live at once, 200 in turn: frames, stalls, memory (minutes; only by its name)",
          "soak": "six visits of Live for 100,000 frames: memory (long; only by its name)",
          "lab_file": "the lab in one file in Chromium: first picture, epochs a second, kernels against native, memory",
          "ui": "the Live and Exit time pages in Chromium"}

ON_REQUEST = ("nuts", "load", "soak", "streaming", "advice")
"""Groups that run only if named."""


def main(arguments: list[str]) -> int:
    """Measure the named groups; return 1 if a target was missed, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measure what the library and the app cost; every target is a ratio taken side by side.",
        epilog="groups:\n" + "\n".join(f"  {name:<10} {words}" for name, words in GROUPS.items()))
    parser.add_argument("names", nargs="*", metavar="group",
                        help=f"by default all except {', '.join(ON_REQUEST)}: {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="fewer turns, no large t")
    parser.add_argument("--write", action="store_true", help="put the groups' rows into the page of benchmarks")
    options = parser.parse_args(arguments)
    if options.write and options.quick:
        parser.error("--write takes whole measurements: leave --quick out")
    unknown = set(options.names) - set(GROUPS)
    if unknown:
        parser.error(f"group must be one of {', '.join(GROUPS)}; got {', '.join(sorted(unknown))}")
    about = machine()
    print(f"{about['cpu']}, {about['cores']} cores, {about['system']}, Python {about['python']}, "
          + ", ".join(f"{name} {version}" for name, version in about["packages"].items() if version))
    rows = []
    for name in options.names or [name for name in GROUPS if name not in ON_REQUEST]:
        start = time.perf_counter()
        print(f"\n{name}: {GROUPS[name]}", flush=True)
        for measured in import_module(f"tests.benchmarks.{name}").measure(options.quick):
            rows.append(replace(measured, group=name))
            print("  " + rows[-1].line(), flush=True)
        print(f"  ({time.perf_counter() - start:.0f} s)")
    if options.write:
        print(f"written to {DATA}: {write(rows, about)}")
    missed = sum(r.ok is False for r in rows)
    print(f"\n{sum(r.ok is True for r in rows)} targets met, {missed} missed")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
