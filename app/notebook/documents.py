"""Keeps the documents of the server's thread out of the kernel's main thread.

Bokeh notes the document whose callback is under way in one list for all threads. A cell that makes a page while another
page plays would be taken for a part of that page's callback, now and then.
"""

from __future__ import annotations

import threading
from typing import Any


class DocumentsByThread(threading.local):
    """What Bokeh uses of its list of documents, one for each thread."""

    def __init__(self) -> None:
        self._documents: list[Any] = []

    def append(self, document: Any) -> None:
        """Note a document."""
        self._documents.append(document)

    def pop(self) -> Any:
        """Forget the document noted last."""
        return self._documents.pop()

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, at: int) -> Any:
        return self._documents[at]


def keep_by_thread() -> None:
    """Give Bokeh one list of documents for each thread; the name is private to Bokeh: without it, nothing changes."""
    import bokeh.io.doc as documents

    if isinstance(getattr(documents, "_PATCHED_CURDOCS", None), list):
        documents._PATCHED_CURDOCS = DocumentsByThread()
