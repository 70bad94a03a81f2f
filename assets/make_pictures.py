"""Pictures for the README, from the running app: ``python assets/make_pictures.py`` (needs the ``test`` extra)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
FLAGS = ("--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync").split()
# name -> (query, width, height, scale, epoch or text to wait for)
PICTURES = {
    "live_light.png": ("?speed=64e", 1440, 900, 1, 600),
    "live_dark.png": ("?speed=64e&theme=dark", 1440, 900, 1, 600),
    "live_phone.png": ("?speed=64e", 390, 844, 2, 600),
    "exit_time.png": ("?page=exit", 1440, 900, 1, 0),
    "lesson.png": ("?lesson=2", 1440, 900, 1, 330),
}
EPOCH = """epoch => {
  const find = (node) => { for (const n of node.querySelectorAll('*')) {
    if (n.matches('[data-ro=t]')) return n; const deep = n.shadowRoot && find(n.shadowRoot); if (deep) return deep } };
  const shown = find(document); return shown && +shown.textContent.replace(/,/g, '') >= epoch }"""


def main() -> None:
    """Serve the app, open each picture's page, wait for its epoch, take the picture."""
    chromium = os.environ.get("LAB_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("no Chromium found: install one or set LAB_CHROMIUM to its path")
    server = subprocess.Popen([sys.executable, "-m", "panel", "serve", "app", "--port", "5071"], cwd=HERE.parent,
                              stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if "running at" in line:
                break
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            for name, (query, width, height, scale, epoch) in PICTURES.items():
                page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=scale)
                page.goto(f"http://127.0.0.1:5071/app{query}")
                if epoch:
                    page.wait_for_function(EPOCH, arg=epoch, timeout=120_000)
                else:  # the Exit time page says how long its chains took when it is done
                    page.get_by_text("took").first.wait_for(timeout=120_000)
                page.wait_for_timeout(500)  # let tooltips and eases settle: a picture, not a test
                page.screenshot(path=HERE / name)
                print(HERE / name)
                page.close()
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
