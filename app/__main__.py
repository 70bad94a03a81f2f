"""``python -m app serve``: the dashboard from wherever it is installed. ``python -m app record``: see `app.recording`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from app.recording.command import main as record_main


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    Parameters
    ----------
    arguments
        ``serve`` and what ``panel serve`` takes behind the application, such as ``--port 5007``; or a command of
        `app.recording.command`. The process's own unless given.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] != ["serve"]:
        return record_main(arguments)
    from panel.command import main as panel_main

    sys.argv = ["panel", "serve", str(Path(__file__).parent), *arguments[1:]]  # where Panel looks for them
    panel_main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
