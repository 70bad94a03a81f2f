"""``python -m sampler``: replay a tuned setting on a stream, tune one, check a gradient; error messages and exit codes."""

import argparse
import json
import sys

from sampler.cli import check, replay, tune
from sampler.threads import use_threads
from sampler.version import MADE_WITH

BAD_INPUT = 1


def parser() -> argparse.ArgumentParser:
    """Return the argument parser of all commands."""
    top = argparse.ArgumentParser(
        prog="python -m sampler",
        description="Online sampling in production: tune a setting, check a gradient, replay a setting on a stream.",
        epilog="Exit codes: 0 done, or a replay stopped by a signal with the checkpoint written; 1 bad input; 2 bad command "
               "line; 3 a gate failed, or a check found a fault.")
    top.add_argument("--version", action="version", version=MADE_WITH)
    commands = top.add_subparsers(dest="command", required=True, metavar="replay | tune | check")
    for command in (replay, tune, check):
        command.add_to(commands)
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    try:
        if getattr(options, "threads", None) is not None:
            use_threads(options.threads)
        return options.run(options)
    except ValueError as error:
        if options.json:
            print(json.dumps({"error": str(error)}))
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # the reader of the output has closed it
        sys.stderr.close()
        return BAD_INPUT
    except KeyboardInterrupt:
        return 130
    finally:
        if getattr(options, "threads", None) is not None:
            use_threads(None)  # restore the default for callers of this function


if __name__ == "__main__":
    sys.exit(main())
