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
                    "grows (--follow), standard input (-) or a query of a database (--sql). Summaries of the samples go to "
                    "--out; with --checkpoint the run goes on bit for bit after any end. Gates of the TOML file that fail "
                    "end it with exit code 3. The algorithm is the one the file names: SAGA-LD, or the preconditioned one.")
    parser.add_argument("tuned", help="TOML file with [settings], as written by tune; a bare one will do")
    parser.add_argument("--checkpoint", metavar="FILE", help="state of the run; gone on from if it exists. The one "
                        "before it stays beside it, so there must be room for two, for three while one is written")
    parser.add_argument("--out", default=None, metavar="FILE", help="summaries: JSON lines, or a folder of Parquet "
                        "files for a name that ends in .parquet (default: JSON lines on standard output)")
    parser.add_argument("--draws", metavar="FILE", help="the chains as they stand at the end: Parquet, NetCDF (.nc) or "
                        "Zarr, as pandas and ArviZ read them")
    parser.add_argument("--every", type=int, default=None, help="epochs a summary (default 100; 1 with --follow)")
    parser.add_argument("--checkpoint-seconds", type=float, default=30.0, metavar="S", help="default 30")
    parser.add_argument("--algorithm", choices=list(KNOBLESS), help="run this one, which has no knobs, in place of the one "
                        "that the file names, through the same gates")
    parser.add_argument("--chains", type=int, help="default: as tuned, or 256")
    parser.add_argument("--seed", type=int, help="default: as tuned, or 0")
    parser.add_argument("--goes-on", action="store_true", help="going on from a checkpoint, do not read the data from their "
                        "start again: the checkpoint holds the rows, and the place in a file or a query after them")
    parser.add_argument("--on-bad-row", default="stop", metavar="WHAT", help="at a row that cannot be used: stop (default; "
                        "rows before it are in the checkpoint), skip, or a file that takes rejected rows with the reasons")
    parser.add_argument("--on-drift", choices=["window", "always"], help="forget: at a drift alarm all rows but the last "
                        "--window (window), or older ones at every summary (always); default: report it, go on with all")
    parser.add_argument("--window", type=int, metavar="N", help="rows that are to count with --on-drift")
    parser.add_argument("--follow", action="store_true", help="wait for more rows at the end")
    parser.add_argument("--rows-in", metavar="FOLDER", help="keep rows in a file there, for streams larger than memory")
    parser.add_argument("--accept-verdict", action="store_true", help="run a setting that was not judged safe when tuned")
    parser.add_argument("--timed", action="store_true", help="put the time (UTC) and the seconds an epoch into each "
                        "summary; without them a run that was gone on with writes byte for byte what an unbroken one does")
    parser.add_argument("--json", action="store_true", help="one JSON object about the end on standard output "
                        "(and no summaries there)")
    parser.add_argument("--metrics", type=int, metavar="PORT", help="serve metrics for Prometheus on "
                        "127.0.0.1:PORT/metrics; 0 takes a free port and names it")
    add_reading(parser)
    add_cluster(parser, "a running Dask cluster whose workers hold the chains").add_argument(
        "--worker-timeout", type=float, metavar="S", help="seconds a worker may take to begin, or for "
        "the rows of one summary; one that takes longer is named, and the run ends with its checkpoint kept (default 600)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Replay; returns the exit code."""
    with Stopping() as stopping:
        return _replay(options, stopping)


def _replay(options: argparse.Namespace, stopping: Stopping) -> int:
    if options.draws:
        check_path(options.draws)
    tuned = Tuned.load(options.tuned)
    settings = with_algorithm(tuned.settings, options.algorithm or tuned.algorithm)
    refused = _tell_verdict(tuned, options)
    if refused is not None:
        return refused
    model = model_of(options, tuned.model)
    chains = whole_number("chains", tuned.chains if options.chains is None else options.chains, 1, 1_000_000)
    seed = whole_number("seed", tuned.seed if options.seed is None else options.seed, 0, 2**63 - 1)
    every = whole_number("every", (1 if options.follow else 100) if options.every is None else options.every, 1, 10**9)
    if options.scheduler is None and options.worker_timeout is not None:
        raise ValueError(f"worker-timeout must be left out without --scheduler ADDRESS, got {options.worker_timeout:g}: no "
                         "worker is waited for")
    if options.scheduler is not None and options.threads is not None:
        raise ValueError(f"threads must be left out with --scheduler, got {options.threads}: workers have those they were "
                         "started with (dask worker --nthreads)")
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(cluster_client(options))  # a scheduler out of reach is an error before a file is opened
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
                print(f"note: tuned with {name} {tuned.versions[name]}, this is {version}", file=sys.stderr)
        result = _run(replay, rows, stopping, options, metrics)
    if options.draws and result.t:
        result.save_draws(options.draws)
    return _tell(result, stream, options)


def _run(replay: Replay, rows: int | None, stopping: Stopping, options: argparse.Namespace,
         metrics: MetricsEndpoint | None) -> ReplayResult:
    """Go on or begin, to the end."""
    try:
        at = replay.resume()
        if replay.mended:
            print(replay.mended, file=sys.stderr)
        if at:
            print(f"going on at epoch {at:,} from {options.checkpoint}", file=sys.stderr)
        with contextlib.closing(Progress("epochs", rows, at, options.quiet)) as progress:
            def after_block(t: int) -> None:
                progress(t)
                if metrics is not None:
                    metrics.update(replay)

            return replay.run(stopping, after_block)
    except ClusterLost as error:
        state = "no --checkpoint was given, so nothing of the run is kept"
        if options.checkpoint:
            state = f"epoch {replay.kept:,} is kept in {options.checkpoint!r}: mend the cluster and give the command again"
        raise ValueError(f"{error}. {state}") from None
    finally:
        replay.close()


def _stream_and_problem(options: argparse.Namespace, tuned: Tuned, model: dict[str, Any],
                        stopping: Stopping) -> tuple[Any, Any, int | None]:
    """The rows, the problem, and how many rows are expected."""
    own, source = load_problem(model["problem"]) if "problem" in model else None, source_of(options)
    if own is not None and own.kind == "oracle":
        if source is not None:
            raise ValueError(f"data must be left out for a GradientOracle, which has its own, got "
                             f"{options.data or options.sql!r}")
        terms = model.get("terms")
        if terms is None:
            raise ValueError("terms must be given for a GradientOracle: --terms, how many data it has")
        terms = whole_number("terms", terms, 1, 10**12)
        return [(np.zeros((terms, 0)), None)], own, terms
    stream = open_stream(source, reading_of(options, tuned.reading), own.kind if own else model.get("kind"),
                         follow=options.follow, stop=stopping)
    if own is None:
        model = {**{k: v for k, v in model.items() if k != "terms"}, "kind": stream.model}
        return stream, built_in_problem(model, stream.dim), stream.rows_expected
    if own.dim != stream.dim:
        raise ValueError(f"problem has dim {own.dim}, the data give {stream.dim}: {', '.join(stream.names)}")
    return stream, own, stream.rows_expected


def _tell_verdict(tuned: Tuned, options: argparse.Namespace) -> int | None:
    """Say what the setting was judged; the exit code if that ends the run."""
    if options.algorithm is not None:  # the verdict is of the setting that is not run
        beside = tuned.evidence.get("fits_words", "no fit was measured beside the setting")
        print(f"{options.algorithm} in place of {tuned.algorithm}. {beside}", file=sys.stderr)
        return None
    kind, words = tuned.evidence.get("verdict"), tuned.evidence.get("verdict_words", "")
    if not options.quiet or kind not in (None, "safe"):
        unknown = "no verdict is stored: nobody has measured this setting"
        print(unknown if kind is None else f"tuned verdict: {kind}. {words}".strip(), file=sys.stderr)
    failure = None if options.accept_verdict else failed_verdict(tuned.gates, tuned.evidence)
    if failure is None:
        return None
    if options.json:
        print(json.dumps({"ended": "gate", "t": 0, "gate": failure.to_dict()}))
    print(f"{failure.words}\nrun it all the same with --accept-verdict, or tune again", file=sys.stderr)
    return 3


def _tell(result: ReplayResult, stream: Any, options: argparse.Namespace) -> int:
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
        print(f"rows left out, all runs together: {result.skipped:,}", file=sys.stderr)
    if result.watch.why_no_rhat is not None:
        print(f"no R-hat: {result.watch.why_no_rhat}", file=sys.stderr)
    if options.json:
        print(json.dumps({**result.to_dict(), "stream": stream.report().to_dict() if words else None}))
    if result.failure is not None:
        print(result.failure.words, file=sys.stderr)
        return 3
    return 0
