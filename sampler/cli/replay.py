"""``python -m sampler replay``: run a tuned setting on a stream, with gates and checkpoints."""

import argparse
import contextlib
import json
import sys
from typing import Any

import numpy as np

from sampler.algorithms import KNOBLESS
from sampler.arguments import whole_number
from sampler.cli.options import add_cluster, add_reading, cluster_client, model_of, open_stream, reading_of, source_of
from sampler.cli.terminal import Progress, Stopping
from sampler.draws import check_path
from sampler.problems.problem_by_name import load_problem
from sampler.production.cluster_calls import ClusterLost
from sampler.production.gates import failed_verdict
from sampler.production.metrics_endpoint import MetricsEndpoint
from sampler.production.replay import Replay
from sampler.production.replay_result import ReplayResult
from sampler.production.summaries import writer
from sampler.production.tuned import Tuned, built_in_problem, versions
from sampler.tuning.algorithm_settings import with_algorithm


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "replay", help="run a tuned setting on a stream",
        description="Run a tuned setting on a stream: a CSV, libsvm, Parquet or Arrow file, a folder of them, a file that "
                    "grows (--follow), standard input (-) or a database query (--sql). Summaries of the samples go to "
                    "--out; with --checkpoint an interrupted run resumes bit for bit. A failed gate of the TOML file "
                    "ends the run with exit code 3. The file names the algorithm: SAGA-LD, or the preconditioned one.")
    parser.add_argument("tuned", help="TOML file with [settings], as written by tune; other tables are optional")
    parser.add_argument("--checkpoint", metavar="FILE", help="state of the run, resumed from if it exists. The previous one "
                        "is kept, so the disk must have space for two, and for three during a write")
    parser.add_argument("--out", default=None, metavar="FILE", help="summaries: JSON lines, or a folder of Parquet "
                        "files for a name that ends in .parquet (default: JSON lines on standard output)")
    parser.add_argument("--draws", metavar="FILE", help="write the final state of the chains as Parquet, NetCDF (.nc) or "
                        "Zarr, for pandas and ArviZ")
    parser.add_argument("--every", type=int, default=None, help="epochs per summary (default 100; 1 with --follow)")
    parser.add_argument("--checkpoint-seconds", type=float, default=30.0, metavar="S", help="write interval (default 30)")
    parser.add_argument("--algorithm", choices=list(KNOBLESS), help="run this tuning-free algorithm instead of the file's, "
                        "with the same gates")
    parser.add_argument("--chains", type=int, help="default: as tuned, or 256")
    parser.add_argument("--seed", type=int, help="default: as tuned, or 0")
    parser.add_argument("--goes-on", action="store_true", help="on resuming, do not read the data from the start again: "
                        "the checkpoint stores the rows, and the position in a file or a query after them")
    parser.add_argument("--on-bad-row", default="stop", metavar="WHAT", help="at a row that cannot be used: stop (default; "
                        "earlier rows are in the checkpoint), skip, or a file for rejected rows and reasons")
    parser.add_argument("--on-drift", choices=["window", "always"], help="forget all rows except the last --window at a "
                        "drift alarm (window) or at every summary (always); default: report alarms, retain all rows")
    parser.add_argument("--window", type=int, metavar="N", help="number of rows to retain with --on-drift")
    parser.add_argument("--follow", action="store_true", help="wait for more rows at the end")
    parser.add_argument("--rows-in", metavar="FOLDER", help="store rows in a file there, for streams larger than memory")
    parser.add_argument("--accept-verdict", action="store_true", help="run a setting that was not judged safe when tuned")
    parser.add_argument("--timed", action="store_true", help="add the time (UTC) and the seconds per epoch to each "
                        "summary; without them a resumed run writes the same bytes as an uninterrupted one")
    parser.add_argument("--json", action="store_true", help="write the result as one JSON object to standard output "
                        "(and no summaries)")
    parser.add_argument("--metrics", type=int, metavar="PORT", help="serve metrics for Prometheus on "
                        "127.0.0.1:PORT/metrics; 0 selects a free port")
    add_reading(parser)
    add_cluster(parser, "a running Dask cluster whose workers hold the chains").add_argument(
        "--worker-timeout", type=float, metavar="S", help="time limit in seconds of a worker to start, or to process "
        "the rows of one summary; a slower one ends the run, with its checkpoint kept (default 600)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Replay a setting; return the exit code."""
    with Stopping() as stopping:
        return _replay(options, stopping)


def _replay(options: argparse.Namespace, stopping: Stopping) -> int:
    if options.draws:
        check_path(options.draws)
    tuned = Tuned.load(options.tuned)
    settings = with_algorithm(tuned.settings, options.algorithm or tuned.algorithm)
    refused = _report_verdict(tuned, options)
    if refused is not None:
        return refused
    model = model_of(options, tuned.model)
    chains = whole_number("chains", tuned.chains if options.chains is None else options.chains, 1, 1_000_000)
    seed = whole_number("seed", tuned.seed if options.seed is None else options.seed, 0, 2**63 - 1)
    every = whole_number("every", (1 if options.follow else 100) if options.every is None else options.every, 1, 10**9)
    if options.scheduler is None and options.worker_timeout is not None:
        raise ValueError(f"worker-timeout must be left out without --scheduler ADDRESS, got {options.worker_timeout:g}: "
                         "there are no workers")
    if options.scheduler is not None and options.threads is not None:
        raise ValueError(f"threads must be left out with --scheduler, got {options.threads}: set them when starting the "
                         "workers (dask worker --nthreads)")
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(cluster_client(options))  # fails before a file is opened
        metrics = None if options.metrics is None else stack.enter_context(MetricsEndpoint(options.metrics))
        if metrics is not None:
            print(f"metrics on http://127.0.0.1:{metrics.port}/metrics", file=sys.stderr, flush=True)
        stream, problem, rows = _stream_and_problem(options, tuned, model, stopping)
        output = writer(options.out) if options.out else None if options.json else writer("-")
        replay = Replay(problem, settings, stream, chains, seed, every, tuned.gates, output, options.checkpoint,
                        options.checkpoint_seconds, options.goes_on, rows, options.rows_in,
                        client=client, worker_timeout=600.0 if options.worker_timeout is None else options.worker_timeout,
                        on_bad_row=options.on_bad_row, timed=options.timed, on_drift=options.on_drift, window=options.window,
                        warn=lambda words: print(words, file=sys.stderr, flush=True))
        for name, version in versions().items():
            if tuned.versions.get(name, version) != version:
                print(f"note: tuned with {name} {tuned.versions[name]}, running with {version}", file=sys.stderr)
        result = _run(replay, rows, stopping, options, metrics)
    if options.draws and result.t:
        result.save_draws(options.draws)
    return _report(result, stream, options)


def _run(replay: Replay, rows: int | None, stopping: Stopping, options: argparse.Namespace,
         metrics: MetricsEndpoint | None) -> ReplayResult:
    """Resume or start the replay and run it to its end."""
    try:
        at = replay.resume()
        if replay.mended:
            print(replay.mended, file=sys.stderr)
        if at:
            print(f"resuming at epoch {at:,} from {options.checkpoint}", file=sys.stderr)
        with contextlib.closing(Progress("epochs", rows, at, options.quiet)) as progress:
            def after_block(t: int) -> None:
                progress(t)
                if metrics is not None:
                    metrics.update(replay)

            return replay.run(stopping, after_block)
    except ClusterLost as error:
        state = "The run is lost: it had no --checkpoint"
        if options.checkpoint:
            state = f"Epoch {replay.kept:,} is saved in {options.checkpoint!r}: repair the cluster and repeat the command"
        raise ValueError(f"{error}. {state}") from None
    finally:
        replay.close()


def _stream_and_problem(options: argparse.Namespace, tuned: Tuned, model: dict[str, Any],
                        stopping: Stopping) -> tuple[Any, Any, int | None]:
    """Return the stream, the problem, and the expected number of rows."""
    own, source = load_problem(model["problem"]) if "problem" in model else None, source_of(options)
    if own is not None and own.kind == "oracle":
        if source is not None:
            raise ValueError(f"data must be left out for a GradientOracle, which has its own, got "
                             f"{options.data or options.sql!r}")
        terms = model.get("terms")
        if terms is None:
            raise ValueError("terms is missing: pass --terms, the number of data of the GradientOracle")
        terms = whole_number("terms", terms, 1, 10**12)
        return [(np.zeros((terms, 0)), None)], own, terms
    stream = open_stream(source, reading_of(options, tuned.reading), own.kind if own else model.get("kind"),
                         follow=options.follow, stop=stopping)
    if own is None:
        model = {**{k: v for k, v in model.items() if k != "terms"}, "kind": stream.model}
        return stream, built_in_problem(model, stream.dim), stream.rows_expected
    if own.dim != stream.dim:
        raise ValueError(f"problem has dim {own.dim}, the data have {stream.dim}: {', '.join(stream.names)}")
    return stream, own, stream.rows_expected


def _report_verdict(tuned: Tuned, options: argparse.Namespace) -> int | None:
    """Print the verdict on the setting; return the exit code if it ends the run."""
    if options.algorithm is not None:  # the verdict refers to the setting, which is not run
        fits = tuned.evidence.get("fits_words", "no fit was measured with the setting")
        print(f"running {options.algorithm} instead of {tuned.algorithm}. {fits}", file=sys.stderr)
        return None
    kind, words = tuned.evidence.get("verdict"), tuned.evidence.get("verdict_words", "")
    if not options.quiet or kind not in (None, "safe"):
        unknown = "no verdict is stored: this setting was not measured"
        print(unknown if kind is None else f"tuned verdict: {kind}. {words}".strip(), file=sys.stderr)
    failure = None if options.accept_verdict else failed_verdict(tuned.gates, tuned.evidence)
    if failure is None:
        return None
    if options.json:
        print(json.dumps({"ended": "gate", "t": 0, "gate": failure.to_dict()}))
    print(f"{failure.words}\nrun it anyway with --accept-verdict, or tune again", file=sys.stderr)
    return 3


def _report(result: ReplayResult, stream: Any, options: argparse.Namespace) -> int:
    words = stream.report().words() if hasattr(stream, "report") else []
    for line in words:
        print(line, file=sys.stderr)
    for at, since in result.watch.drifts:
        print(f"drift alarm at datum {at:,}: predicted worse since about datum {since:,}", file=sys.stderr)
    for words in result.watch.warnings.values():
        print(f"warning: {words}", file=sys.stderr)
    how = {"finished": "finished", "stopped": "stopped by a signal", "gate": "ended by a gate"}[result.ended]
    state = f", state in {options.checkpoint}" if options.checkpoint and result.ended != "gate" else ""
    print(f"{how} at epoch {result.t:,}{state}", file=sys.stderr)
    if result.skipped:
        print(f"rows left out in all runs: {result.skipped:,}", file=sys.stderr)
    if result.watch.why_no_rhat is not None:
        print(f"no R-hat: {result.watch.why_no_rhat}", file=sys.stderr)
    if options.json:
        print(json.dumps({**result.to_dict(), "stream": stream.report().to_dict() if words else None}))
    if result.failure is not None:
        print(result.failure.words, file=sys.stderr)
        return 3
    return 0
