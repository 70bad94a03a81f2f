"""``python -m app serve``: command line of the dashboard; extras add commands, see `app.chrome.extras`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app.chrome.extras import registered
from sampler.version import MADE_WITH


def parser() -> argparse.ArgumentParser:
    """Return the command-line parser, with the commands of extras."""
    top = argparse.ArgumentParser(
        prog="exit-time-lab", description="Exit-Time Lab: the dashboard, and the lab in one file that needs no server.",
        epilog="Exit codes: 0 success; 1 invalid input; 2 invalid command line; 130 interrupted, nothing written.")
    top.add_argument("--version", action="version", version=MADE_WITH)
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    commands.add_parser("serve", add_help=False, help="the dashboard, with the options of panel serve")
    for extra in registered():
        extra.add_commands(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    arguments
        ``serve`` and options of ``panel serve``, such as ``--port 5007``; or a command of an extra, such as ``export``.
        By default those of the process.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] != ["serve"]:
        options = parser().parse_args(arguments)
        return options.run(options)
    from panel.command import main as panel_main

    sys.argv = ["panel", "serve", str(Path(__file__).parent), *arguments[1:]]  # Panel reads them there
    panel_main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
