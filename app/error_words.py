"""`error_words`: message of an exception for a page; the traceback goes to the server's log."""

from __future__ import annotations

import dis
import logging

from sampler.atomic_file import why_not_written

NO_MEMORY = "out of memory. Use fewer chains, rows or dimensions, or close other programs"
_OURS, _THEIRS = ("app", "sampler"), ("numpy", "scipy", "numba")
_RAISE = dis.opmap["RAISE_VARARGS"]


def error_words(error: BaseException, stopped: bool = False) -> str:
    """Return the message of an exception that ended a job.

    A ValueError raised by this project has a message for the user. Any other exception is a fault of a user's gradient, of
    the machine or of this project. For a fault inside a numerical library only the exception type is reported.

    Parameters
    ----------
    error
        The exception.
    stopped
        Whether it stopped a run; it is then logged in any case.
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
    """Whether an exception was raised by this project or by user code, not by a numerical library."""
    trace = error.__traceback__
    if trace is None:
        return True
    while trace.tb_next is not None:
        trace = trace.tb_next
    package = trace.tb_frame.f_globals.get("__name__", "").partition(".")[0]
    return package not in _THEIRS and (package not in _OURS or trace.tb_frame.f_code.co_code[trace.tb_lasti] == _RAISE)
