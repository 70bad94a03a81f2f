"""A question on the terminal before something is lost or believed that should not be."""

import sys


def confirmed(question: str) -> bool:
    """Ask for yes or no on standard error; no where nobody can answer: input or errors are no terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
