"""``python -m tests.browser.connection.impatient_server SECONDS serve app ...``: visits wait so long for their browser.

At each SIGUSR1 it writes which threads there are, and how many pages are held.
"""

import gc
import json
import signal
import sys
import threading

from panel.command import main

from app.chrome import absence
from app.page import CellView
from app.process_memory import look_through_all


def tell(number, frame):
    look_through_all()
    names = sorted(thread.name for thread in threading.enumerate())
    pages = sum(issubclass(type(one), CellView) for one in gc.get_objects())
    print("ALIVE", json.dumps({"threads": names, "pages": pages}), file=sys.stderr, flush=True)


if __name__ == "__main__":  # a worker process of a sweep reads this file too
    signal.signal(signal.SIGUSR1, tell)
    absence.KEPT = float(sys.argv.pop(1))
    main()
