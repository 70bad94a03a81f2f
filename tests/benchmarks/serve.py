"""The app on a free port, telling its pump's counts and its memory a line a second; run by ``ui.py``."""

import gc
import json
import os
import threading
import time
from pathlib import Path

from panel.io.application import build_single_handler_application
from panel.io.server import get_server

from app.live.components.pump import Pump

ROOT = Path(__file__).parents[2]


def tell() -> None:
    """Print frames sent, seconds spent on them and resident megabytes, for ever."""
    page = os.sysconf("SC_PAGE_SIZE")
    while True:
        time.sleep(0.5)
        pumps = [found for found in gc.get_objects() if isinstance(found, Pump)]
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * page / 1e6
        print(json.dumps({"frames": sum(p.frames for p in pumps), "seconds": sum(p.seconds for p in pumps),
                          "resident": resident}), flush=True)


if __name__ == "__main__":
    server = get_server({"app": build_single_handler_application(ROOT / "app")}, port=0, address="127.0.0.1",
                        start=False, show=False)
    server.start()
    print(json.dumps({"port": server.port}), flush=True)
    threading.Thread(target=tell, daemon=True).start()
    server.io_loop.start()
