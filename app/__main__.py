"""``python -m app serve``: the dashboard from wherever it is installed; other commands come from `app.chrome.extras`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app.chrome.extras import registered
from sampler.version import MADE_WITH


def parser() -> argparse.ArgumentParser:
    """Return the whole command line."""
    top = argparse.ArgumentParser(
        prog="exit-time-lab", description="Exit-Time Lab: the dashboard, and the lab as one file, without a server.",
        epilog="Exit codes: 0 done; 1 bad input; 2 bad command line; 130 interrupted, nothing written.")
    top.add_argument("--version", action="version", version=MADE_WITH)
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    commands.add_parser("serve", add_help=False, help="the dashboard, with the options of panel serve")
    for extra in registered():
        extra.add_commands(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    Parameters
    ----------
    arguments
        ``serve`` and what ``panel serve`` takes behind the application, such as ``--port 5007``; or a command of an extra,
        such as ``export``. Those of the process by default.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] != ["serve"]:
        options = parser().parse_args(arguments)
        return options.run(options)
    from panel.command import main as panel_main

    sys.argv = ["panel", "serve", str(Path(__file__).parent), *arguments[1:]]  # where Panel looks for them
    panel_main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
