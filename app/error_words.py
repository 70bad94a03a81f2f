"""`error_words`: what a fault inside is called on a page; the whole of it goes to the server's log."""

from __future__ import annotations

import dis
import logging

from sampler.atomic_file import why_not_written

NO_MEMORY = "there was no memory left for it. Choose less (chains, rows or dimensions), or close other programs"
_OURS, _THEIRS = ("app", "sampler"), ("numpy", "scipy", "numba")
_RAISE = dis.opmap["RAISE_VARARGS"]


def error_words(error: BaseException, stopped: bool = False) -> str:
    """Return words about an exception that ended some work.

    A ValueError that this project raises has the words for the user. Any other is a fault: of a user's gradient, of the
    machine, or ours. Of a fault in a computation, whose words mean nothing here, only the kind is named.

    Parameters
    ----------
    error
        What ended the work.
    stopped
        Whether a run has stopped by it: then it is logged whatever it is.
    """
    in_words = _raised_in_words(error)
    mistake = in_words and isinstance(error, ValueError)
    if stopped or not mistake:
        logging.getLogger(__name__).warning("Work on a page has stopped", exc_info=error)
    if mistake:
        return str(error)
    if isinstance(error, MemoryError):
        return NO_MEMORY
    if isinstance(error, OSError) and error.errno is not None:
        place = f"{error.filename} could not be used: " if error.filename else ""
        return f"{place}{why_not_written(error)}"
    kind = type(error).__name__
    return f"{kind}: {error}" if in_words else f"a computation failed ({kind}); the server's log says where"


def _raised_in_words(error: BaseException) -> bool:
    """Whether an exception comes from a `raise` of this project, or from a user's code, and not from a numerical library."""
    trace = error.__traceback__
    if trace is None:
        return True
    while trace.tb_next is not None:
        trace = trace.tb_next
    package = trace.tb_frame.f_globals.get("__name__", "").partition(".")[0]
    return package not in _THEIRS and (package not in _OURS or trace.tb_frame.f_code.co_code[trace.tb_lasti] == _RAISE)
