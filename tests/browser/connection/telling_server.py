"""``python -m tests.browser.connection.telling_server serve app ...``: `panel serve`, which says what it holds.

At each SIGUSR1 it writes which threads there are, and how many pages are held.
"""

import gc
import json
import signal
import sys
import threading

from panel.command import main

from app.page import Page


def tell(number, frame):
    gc.collect()
    names = sorted(thread.name for thread in threading.enumerate())
    pages = sum(issubclass(type(one), Page) for one in gc.get_objects())
    print("ALIVE", json.dumps({"threads": names, "pages": pages}), file=sys.stderr, flush=True)


if __name__ == "__main__":  # a worker process of a sweep reads this file too
    signal.signal(signal.SIGUSR1, tell)
    main()
