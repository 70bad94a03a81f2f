"""The documents whose code runs now, of each thread by itself.

Bokeh keeps one list of them for all threads. A document that is built beside the server's loop would be found there by the
code of another visit, a cell that makes a page would be taken for a part of a callback of another page that plays, and each
thread would take away what the other had put there.
"""

from __future__ import annotations

import threading
from typing import Any

from bokeh.io import doc

from app.server_parts import replace


class DocumentsByThread(threading.local):
    """What Bokeh uses of its list of documents, one for each thread."""

    def __init__(self) -> None:
        self._documents: list[Any] = []

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, place: int) -> Any:
        return self._documents[place]

    def append(self, document: Any) -> None:
        """Put a document on top."""
        self._documents.append(document)

    def pop(self) -> Any:
        """Take the one on top away."""
        return self._documents.pop()


def keep_by_thread() -> None:
    """Give Bokeh one list of documents for each thread."""
    if not isinstance(doc._PATCHED_CURDOCS, DocumentsByThread):
        replace(doc, "_PATCHED_CURDOCS", DocumentsByThread())
