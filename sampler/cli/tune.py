"""``python -m sampler tune``: find a setting for a data file and write it with its evidence."""

import argparse
import json
import math
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from sampler.algorithms.algorithm_names import ONLINE_ALGORITHMS, PLAIN, online_algorithm
from sampler.arguments import whole_number
from sampler.cli.options import add_cluster, add_reading, cluster_config, shell_source
from sampler.cli.terminal import Progress, Stopping, confirmed
from sampler.cli.tuning_rows import problem_and_rows
from sampler.problems.base import Problem
from sampler.production.rehearsal import gates_from, rehearse, stream_evidence
from sampler.production.tuned import Tuned, versions
from sampler.settings import Settings
from sampler.threads import checked_threads
from sampler.time_left import time_words
from sampler.tuning.advised_setting import ADVISED_ROWS, AT_LEAST, AdvisedRuns, FirstRun, advised_runs, first_run
from sampler.tuning.advisor import Advice, advise
from sampler.tuning.best_cell import sweep_evidence
from sampler.tuning.forecast import Forecast, cost
from sampler.tuning.preconditioned_forecast import forecast_of
from sampler.tuning.rivals import rivals_evidence, rivals_of, run_rivals
from sampler.tuning.settings_grid import KNOBS, Grid, around, parse_values
from sampler.tuning.sweep import SHORTEST, Sweep, SweepOutcome
from sampler.tuning.sweep_cell import CellResult, settings_of
from sampler.tuning.sweep_schedule import core_seconds, forecast_grid, trial_order

REHEARSED = 0.25
"""Share of ``--seconds`` reserved for the rehearsal."""
STOPPED = 128
"""Exit code of a command ended by a signal, plus the number of the signal."""
# Factors on the advised eta0 and i_max. Whitened coordinates are similar for all data, so their range is narrower.
ETAS = {"saga-ld": (0.1, 0.25, 0.5, 1, 2, 4, 8), "preconditioned": (0.25, 0.5, 0.75, 1, 1.5, 2, 3)}
LENGTHS = (0.25, 0.5, 1, 2)
BOTH = "both"


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "tune", help="find a setting for your data",
        description="Run the setting advised from the measured curvature on the first rows of a stream (a file, a folder, "
                    "standard input or a database query), judge it, and write it with its evidence and gates if it "
                    "is safe. It is run again with the number of epochs that the memory of its chains requires, and with a "
                    "larger step if the width permits; the cheapest safe one is chosen. If none is safe, and with --sweep "
                    "or values of a parameter, settings around it are tried, "
                    "and the cheapest accurate one is written; with --seconds, only while time is left. An interrupted "
                    "sweep resumes where it stopped. With --algorithm both, the preconditioned sampler is advised "
                    "and tried as well as SAGA-LD, on the same rows and by the same rules, and the cheaper one is chosen.")
    parser.add_argument("--out", default="tuned.toml", metavar="FILE", help="output file (default tuned.toml)")
    parser.add_argument("--overwrite", action="store_true", help="overwrite an existing --out")
    parser.add_argument("--accept-verdict", action="store_true", help="write the setting even if it is not judged safe")
    parser.add_argument("--rows", type=int, default=ADVISED_ROWS,
                        help=f"number of leading rows to tune on (default {ADVISED_ROWS:,})")
    parser.add_argument("--algorithm", choices=[*ONLINE_ALGORITHMS, BOTH], default=PLAIN,
                        help=f"algorithm to tune (default {PLAIN})")
    parser.add_argument("--sweep", action="store_true", help="try settings around the advised one even if it is safe; "
                        "implied by --eta0, --i-max, --batch, --radius, --sampler tpe, --trials and --no-prune")
    parser.add_argument("--eta0", help="values 0.1,0.3,1 or a range 0.01:10:9 (default: around the advised one)")
    parser.add_argument("--i-max", help="the same (default: around the advised one)")
    parser.add_argument("--batch", help="the same for b (default: the advised one)")
    parser.add_argument("--radius", help="the same for C' (default: the advised one)")
    parser.add_argument("--chains", type=int, default=64, help="chains per cell (default 64)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sampler", choices=["grid", "tpe"], default="grid", help="every combination, or Optuna's TPE")
    parser.add_argument("--trials", type=int, help="number of settings to try")
    parser.add_argument("--no-prune", dest="prune", action="store_false", help="run every cell to the end")
    parser.add_argument("--seconds", type=float, help="total time limit: the advised setting is run first, then others "
                        "while time is left (default: no limit)")
    parser.add_argument("--storage", help="storage of trials: a path (SQLite) or an Optuna URL (default: next to "
                        "--out)")
    parser.add_argument("--workers", type=int, default=2, help="worker processes (default 2; 0 runs in this process)")
    parser.add_argument("--json", action="store_true", help="write all results as one JSON object to standard output")
    add_reading(parser)
    add_cluster(parser, "a running Dask cluster whose workers try the settings")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Tune a setting; return the exit code."""
    with cluster_config(options):
        return _tune(options)


def _tune(options: argparse.Namespace) -> int:
    rows, began = whole_number("rows", options.rows, SHORTEST, 10**9), time.monotonic()
    whole_number("chains", options.chains, 4, 100_000)  # before the rows are read
    if Path(options.out).exists() and not options.overwrite and not confirmed(f"{options.out} exists. Overwrite it?"):
        raise ValueError(f"out: {options.out!r} exists; pass --overwrite, or choose another --out")
    problem, features, labels, terms, tuned = problem_and_rows(options, rows)
    names = _algorithms(options, problem)
    plain = Forecast(problem, features, labels, terms)
    forecasts = {name: forecast_of(name, plain) for name in names}
    advices = {name: advise(forecast) for name, forecast in forecasts.items()}
    _report_advice(advices, problem, options)
    grids = [_grid(options, advice) for advice in advices.values()]
    predicted: dict[Any, Any] = {}
    for grid in grids:
        predicted |= forecast_grid(forecasts[grid.algorithm], grid, Settings())
    storage = options.storage or str(Path(options.out).with_suffix(".db"))
    sweep = Sweep(problem, features, labels, grids, Settings(), options.chains, options.seed, terms, storage,
                  workers=options.workers, scheduler=options.scheduler, sampler=options.sampler, trials=options.trials,
                  prune=options.prune, order=trial_order(predicted))

    def judged(cell: CellResult, chains: int, reference: dict[str, Any], tried: int = 1,
               ended: str = "") -> tuple[Settings, dict[str, Any]]:
        """Return the setting of a cell and its evidence."""
        forecast, advice = forecasts[cell.algorithm], advices[cell.algorithm]
        setting = settings_of(cell, advice.settings)
        return setting, sweep_evidence(setting, chains, rows, advice, forecast(setting), cell, tried, ended,
                                       reference.get("ess"), forecast.largest_curvature, problem.dim)

    values = (options.seconds, options.eta0, options.i_max, options.batch, options.radius, options.trials)
    sweeps = options.sweep or options.sampler != "grid" or not options.prune or any(value is not None for value in values)
    first, saved, outcome = None, sweep.saved(), None
    if saved.best is None and (options.seconds is not None or not (sweeps or saved.cells)):
        settings = _first_settings(options, sweep, advices)
        if sweeps:
            first = _first(options, sweep, settings, terms, began)
        else:
            runs = advised_runs(problem, features, labels, settings, options.chains, options.seed, terms,
                                forecasts[settings.algorithm].largest_curvature,
                                lambda runs: None if options.quiet else _report_run(runs))
            first = replace(runs.first, cell=runs.taken)
            if runs.verdict == "safe":
                outcome = SweepOutcome(list(runs.cells), None, "", time.monotonic() - began)
            elif not options.quiet:
                print(f"not safe but {runs.verdict}: trying settings around it", file=sys.stderr)
    if outcome is None:
        shown = Progress("settings", sum(len(grid.cells) for grid in grids), quiet=options.quiet, external=True)
        # Outside of the sweep a signal ends the command immediately.
        with Stopping() as stopping, closing(shown) as progress:
            outcome = sweep.run(on_progress=lambda p: progress(p.done, p.words, p.seconds_left), stop=stopping,
                                seconds=_left(options, began, 1.0 - REHEARSED))
        if stopping():
            print(f"stopped by a signal: {len(outcome.cells)} settings are saved in {storage}; repeat the command to "
                  "resume", file=sys.stderr)
            return STOPPED + stopping.number
    ways = [(outcome.best, options.chains, outcome.reference or {}, sweep.references)] if outcome.best else []
    if first and first.cell and first.cell.diverged is None:
        ways.append((first.cell, first.chains, first.reference, first.references))
    if not ways:
        raise ValueError(f"no setting was run to the end ({outcome.ended}, {len(outcome.cells)} tried): increase "
                         "--seconds, or reduce --eta0 if all diverged")
    pairs = [judged(*way[:3], max(1, len(outcome.cells)), outcome.ended) for way in ways]
    chosen = next((i for i, pair in enumerate(pairs) if pair[1]["verdict"] == "safe"), 0)
    (best, evidence), (cell, chains, reference, references) = pairs[chosen], ways[chosen]
    if references is not None:  # may use half of the time reserved for the rehearsal
        rivals = rivals_of(reference) or run_rivals(problem, features, labels, references, cell.rows,
                                                    lambda: _left(options, began, 1.0 - REHEARSED / 2.0) < 0.0)
        evidence |= rivals_evidence(rivals, cell.cost, chains)
    fitting = min(rows, terms) if terms is not None else len(features)
    if first is not None and options.seconds is not None:  # rows that fit into the time reserved for the rehearsal
        a_row = first.pace * core_seconds(best, problem.dim, 1000, tuned.chains) / (1000 * checked_threads(None))
        fitting = min(fitting, max(SHORTEST, int(max(_left(options, began), AT_LEAST) / a_row)))
    if terms is None:
        features, labels = features[:fitting], labels[:fitting]
    rehearsal = rehearse(problem, best, features, labels, tuned.chains, options.seed, None if terms is None else fitting)
    tuned = Tuned(best, tuned.model, tuned.chains, options.seed, tuned.reading, tuned.data,
                  evidence | stream_evidence(rehearsal), gates_from(rehearsal), versions())
    kind, words = evidence["verdict"], evidence["verdict_words"]
    question = f"The best setting is not safe but {kind}. {words} Write it to {options.out}?"
    written = kind == "safe" or options.accept_verdict or confirmed(question)
    if written:
        tuned.save(options.out)
    return _report(tuned, outcome, advices, options, written)


def _left(options: argparse.Namespace, began: float, share: float = 1.0) -> float:
    """Return the seconds left of a share of ``--seconds``; infinite without a limit."""
    return math.inf if options.seconds is None else share * options.seconds - (time.monotonic() - began)


def _first_settings(options: argparse.Namespace, sweep: Sweep, advices: dict[str, Advice]) -> Settings:
    """Return the cheapest advised setting, with each parameter rounded to the grid."""
    def in_grid(grid: Grid) -> Settings:
        advised = advices[grid.algorithm].settings
        return advised.replace(**{knob: min(getattr(grid, knob), key=lambda value: abs(math.log(value / wanted)))
                                  for knob in KNOBS for wanted in [getattr(advised, knob)]})

    settings = min(map(in_grid, sweep.grids), key=cost)
    if not options.quiet:
        seconds = core_seconds(settings, sweep.problem.dim, sweep.rungs[-1], options.chains)
        print(f"running the advised setting: eta0 = {settings.eta0:g}, i_max = {settings.i_max}, about "
              f"{time_words(seconds)} on one core", file=sys.stderr)
    return settings


def _first(options: argparse.Namespace, sweep: Sweep, settings: Settings, terms: int | None, began: float) -> FirstRun:
    """Run a setting within the time limit."""
    first = first_run(sweep.problem, sweep.features, sweep.labels, settings, options.chains, options.seed, terms,
                      _left(options, began, 1.0 - REHEARSED))
    if first.cell is None:
        wanted = (time.monotonic() - began + first.needed) / (1.0 - REHEARSED)
        raise ValueError(f"seconds must be {math.ceil(wanted):,} or more here, got {options.seconds:g}: the advised setting "
                         f"takes about {first.needed:,.0f} s for a quarter of the rows on {first.chains} chains; increase "
                         "it, reduce --rows or --i-max, or use --algorithm preconditioned")
    if not options.quiet:
        _report_accuracy(first)
    return first


def _report_accuracy(run: FirstRun) -> None:
    cell = run.cell
    assert cell is not None
    print(f"accuracy {cell.accuracy:.3f} where {cell.ceiling:.3f} is possible ({run.chains} chains, {cell.rows:,} "
          f"rows, {cell.seconds:.0f} s)", file=sys.stderr)


def _report_run(runs: AdvisedRuns) -> None:
    """Print the result of the latest run of the advised setting, the reason for the next one, and the final choice."""
    if len(runs.cells) == 1:
        _report_accuracy(runs.first)
    cell = runs.cells[-1]
    print(f"eta0 = {cell.eta0:g}, i_max = {cell.i_max}: {runs.words(-1)}", file=sys.stderr)
    if not runs.over:
        print(f"  next, because {runs.asked[-1].reason}", file=sys.stderr)
    elif len(runs.cells) > 1:
        cell = runs.taken
        print(f"chosen: eta0 = {cell.eta0:g}, i_max = {cell.i_max}. {runs.why_taken}", file=sys.stderr)


def _algorithms(options: argparse.Namespace, problem: Problem) -> list[str]:
    """Return the algorithms to try; raise a ValueError if one does not support the model or a value is ambiguous."""
    names = list(ONLINE_ALGORITHMS) if options.algorithm == BOTH else [options.algorithm]
    for name in names:
        if refused := online_algorithm(name).refusal(problem):
            raise ValueError(f"algorithm: {options.algorithm!r} is not available here: {refused}, or --algorithm {PLAIN}")
    for knob, value in (("eta0", options.eta0), ("radius", options.radius)):
        if len(names) > 1 and value is not None:
            raise ValueError(f"{knob} must be left out with --algorithm {BOTH}, got {value!r}: the two use different units "
                             "of steps and radii; choose one algorithm, or use the advised values")
    return names


def _report_advice(advices: dict[str, Advice], problem: Problem, options: argparse.Namespace) -> None:
    """Print the advised setting of each algorithm and its assumptions."""
    if options.quiet:
        return
    for name, advice in advices.items():
        s = advice.settings
        label = f"advised setting of {name}: " if len(advices) > 1 or name != PLAIN else "advised setting: "
        print(f"{label}eta0 = {s.eta0:g}, b = {s.batch_size}, i_max = {s.i_max}, C' = {s.acceptance_radius:g}; predicted "
              f"accuracy {advice.forecast.accuracy:.3f}, memory {100 * advice.forecast.memory:.0f} %", file=sys.stderr)
        for words in advice.assumptions:
            print(f"  assuming: {words}", file=sys.stderr)
    if len(advices) == 1 and not any(online_algorithm(name).refusal(problem) for name in ONLINE_ALGORITHMS):
        print(f"hint: --algorithm {BOTH} tries both algorithms on these rows", file=sys.stderr)


def _grid(options: argparse.Namespace, advice: Advice) -> Grid:
    """Return the values to try: those of the options, else values around the advised ones."""
    s, name = advice.settings, advice.settings.algorithm
    return Grid(parse_values("eta0", options.eta0) or around(s.eta0, ETAS[name]),
                parse_values("i_max", options.i_max) or around(s.i_max, LENGTHS, whole=True),
                parse_values("batch", options.batch) or (s.batch_size,),
                parse_values("radius", options.radius) or (s.acceptance_radius,), name)


def _report(tuned: Tuned, outcome: SweepOutcome, advices: dict[str, Advice], options: argparse.Namespace,
            written: bool) -> int:
    s, e, advice = tuned.settings, tuned.evidence, advices[tuned.algorithm]
    if options.json:
        print(json.dumps({"out": options.out if written else None, "algorithm": tuned.algorithm,
                          "settings": s.to_dict(), "evidence": tuned.evidence,
                          "gates": tuned.gates.to_dict(), "advice": {"settings": advice.settings.to_dict(),
                                                                     "start": advice.start,
                                                                     "assumptions": advice.assumptions},
                          "best": {name: _plain(cell.to_dict()) for name, cell in outcome.bests.items()},
                          "seconds": outcome.seconds,
                          "cells": [_plain(cell.to_dict()) for cell in outcome.cells]}))
    if not written:
        print(f"not written: the best setting is {e['verdict']}. {e['verdict_words']}\nwiden --eta0 and --i-max, or "
              "write it anyway with --accept-verdict (trials are saved)", file=sys.stderr)
        return 3
    if options.json:
        return 0
    for name, cell in outcome.bests.items() if len(advices) > 1 else ():
        print(f"{name}: {cell.cost:,.0f} gradients per epoch for accuracy {cell.accuracy:.3f} (eta0 = {cell.eta0:g}, "
              f"i_max = {cell.i_max}, b = {cell.batch_size})")
    label = "" if tuned.algorithm == PLAIN else f"{tuned.algorithm}, "
    print(f"{label}eta0 = {s.eta0:g}, i_max = {s.i_max}, b = {s.batch_size}, C' = {s.acceptance_radius:g}: accuracy "
          f"{e['accuracy']:.3f} where {e['ceiling']:.3f} is possible, {e['gradients_an_epoch']:,.0f} gradients per "
          f"epoch and chain, memory {100 * e['memory']:.0f} % ({e['verdict']})")
    if e.get("fits_words"):
        print(e["fits_words"])
    how = f"{e['settings_tried']} settings in {outcome.seconds:.0f} s ({e['sweep']})" if e["sweep"] else (
        f"the advised setting{', run once' if e['settings_tried'] == 1 else ' and variants of it,'} in "
        f"{outcome.seconds:.0f} s (--sweep tries others, which may be cheaper)")
    print(f"written to {options.out}; {how}")
    print(" ".join(["next: python -m sampler replay", *filter(None, (options.out, shell_source(options))),
                    "--checkpoint state.npz"]))
    return 0


def _plain(cell: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and not abs(v) < 1e300 else v for k, v in cell.items()}
