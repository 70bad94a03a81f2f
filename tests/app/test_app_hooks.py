"""Start of a server: packages imported before the first answer, since two threads that import one may see it incomplete.

Also the log: messages that could not be sent to a closed tab are not logged.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STARTED = """
import asyncio, logging, sys
from panel.io.application import build_single_handler_application
from panel.io.server import get_server

async def start():
    server = get_server({"app": build_single_handler_application("app", argv=[])}, port=0, address="127.0.0.1", start=False,
                        show=False)
    server.start()
    await asyncio.sleep(0.1)  # the loop loads the application before it answers requests
    for name in "panel.io.document", "bokeh.server.views.ws":
        logging.getLogger(name).warning("Failed sending message as connection was closed")
        logging.getLogger(name).warning("Failed sending message for another reason")
    print(*sorted(name for name in sys.modules if "." not in name or name.startswith("app.")))
    server.stop()

asyncio.run(start())
"""


def test_packages_shared_by_threads_are_imported_before_the_first_page():
    answer = subprocess.run([sys.executable, "-c", STARTED], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stderr
    imported = set(answer.stdout.split())
    pages = {f"app.pages.{path.stem}" for path in (ROOT / "app/pages").glob("*.py")} - {"app.pages.__init__"}
    assert pages | {"arviz_stats", "bokeh", "holoviews", "numba", "pandas", "scipy", "xarray"} <= imported
    assert "another reason" in answer.stderr and "connection was closed" not in answer.stderr
