"""``python -m sampler check``: check a gradient for correctness, convexity and speed."""

import argparse
import json
from typing import Any

from sampler.algorithms.algorithm_names import ONLINE_ALGORITHMS
from sampler.problems.gradient_check import check_gradient
from sampler.problems.problem_by_name import load_attribute, load_problem


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "check", help="check a user-defined gradient",
        description="Check a GradientOracle at random points: against finite differences of --potential, or else by "
                    "the symmetry of its derivatives; convexity, batches, repeated calls, speed. Exit code 3 if there "
                    "is a fault.")
    parser.add_argument("problem", metavar="MODULE:NAME", help="the problem; the current folder is searched")
    parser.add_argument("--terms", type=int, required=True, help="number of data")
    parser.add_argument("--potential", metavar="MODULE:NAME", help="function (index, theta) -> value of that term")
    parser.add_argument("--scale", type=float, default=1.0, help="standard deviation of the points (default 1)")
    parser.add_argument("--json", action="store_true", help="write the results as one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check a gradient; return the exit code."""
    problem = load_problem(options.problem)
    if problem.kind != "oracle":
        raise ValueError(f"problem: {options.problem!r} is a built-in {problem.kind} model, whose gradient needs no check; "
                         "pass a GradientOracle")
    potential = load_attribute(options.potential) if options.potential else None
    result = check_gradient(problem, options.terms, potential, options.scale)
    refusals = {name: sampler.refusal(problem) for name, sampler in ONLINE_ALGORITHMS.items()}
    possible = [name for name, refused in refusals.items() if not refused]
    if options.json:
        print(json.dumps({**result.to_dict(), "algorithms": possible}))
    else:
        for fault in result.faults:
            print(f"FAULT  {fault}")
        for note in result.notes:
            print(f"note   {note}")
        for name, refused in refusals.items():
            print(f"{name}: {refused}" if refused else f"{name}: possible")
        against = "differences of the potential" if result.against == "potential" else "symmetry of its derivatives"
        verdict = "correct" if result.ok else f"{len(result.faults)} fault{'s' * (len(result.faults) > 1)}"
        print(f"{options.problem}: {verdict}; checked against {against}, largest relative error {result.error:.1e}, "
              f"smallest curvature {result.smallest_curvature:.1e} of the largest")
    return 0 if result.ok else 3
