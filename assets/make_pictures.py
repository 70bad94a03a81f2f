"""Pictures for README and site, from the running app: ``python assets/make_pictures.py [name ...]``."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
FLAGS = ("--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync").split()
# name -> (query, width, height, scale, what must be true before the picture is taken)
EPOCH = "+(deep('[data-ro=t]')?.textContent.replace(/,/g, '') ?? -1) >= "
DONE = "deep('[data-done]')?.dataset.done === '1'"
PICTURES = {
    "live_light.png": ("?speed=64e", 1440, 900, 1, EPOCH + "600"),
    "live_dark.png": ("?speed=64e&theme=dark", 1440, 900, 1, EPOCH + "600"),
    "live_phone.png": ("?speed=64e", 390, 844, 2, EPOCH + "600"),
    "exit_time.png": ("?page=exit", 1440, 900, 1, DONE),
    "lesson.png": ("?lesson=variance_reduction", 1440, 900, 1, EPOCH + "330"),
    "tune.png": ("?page=tune", 1440, 900, 1, "deep('[data-ended]')?.dataset.ended === 'finished'"),
    "compare.png": ("?page=compare", 1440, 900, 1, DONE),
    "offline.png": ("?page=offline", 1440, 900, 1, "deep('canvas[data-frames]') && +deep('[data-rung]')?.dataset.rung >= 5"),
    "coreset.png": ("?page=coreset", 1440, 900, 1, DONE),
}
DEEP = """
window.deep = (selector, node = document) => {
  for (const n of node.querySelectorAll("*")) {
    if (n.matches(selector)) return n
    const found = n.shadowRoot && deep(selector, n.shadowRoot)
    if (found) return found
  }
}"""


def main() -> None:
    """Serve the app, open each picture's page, wait until it shows what it should, take the picture."""
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
            wanted = sys.argv[1:] or list(PICTURES)
            for name, (query, width, height, scale, ready) in ((n, PICTURES[n]) for n in wanted):
                page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=scale)
                page.add_init_script(DEEP)
                page.goto(f"http://127.0.0.1:5071/app{query}", timeout=400_000)
                page.wait_for_function(ready, timeout=400_000)
                page.wait_for_timeout(500)  # let tooltips and eases settle: a picture, not a test
                page.screenshot(path=HERE / name)
                with Image.open(HERE / name) as picture:  # 256 colours, indistinguishable by eye, are a third of the size
                    small = picture.convert("RGB").quantize(256, kmeans=2, dither=Image.Dither.NONE)
                small.save(HERE / name, optimize=True)
                print(HERE / name)
                page.close()
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
