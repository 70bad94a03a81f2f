"""`error_words`: what a fault inside is called on a page; the whole of it goes to the server's log."""

from __future__ import annotations

import logging

from sampler.atomic_file import why_not_written

NO_MEMORY = "there was no memory left for it. Choose less (chains, rows or dimensions), or close other programs"


def error_words(error: BaseException) -> str:
    """Return words about an exception that ended some work.

    A ValueError has the words for the user. Any other is a fault: of a user's gradient, of the machine, or ours.
    """
    if isinstance(error, ValueError):
        return str(error)
    logging.getLogger(__name__).warning("Work on a page has stopped", exc_info=error)
    if isinstance(error, MemoryError):
        return NO_MEMORY
    if isinstance(error, OSError) and error.errno is not None:
        place = f"{error.filename} could not be used: " if error.filename else ""
        return f"{place}{why_not_written(error)}"
    return f"{type(error).__name__}: {error}"
