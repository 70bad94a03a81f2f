"""Run the notebooks and save them with their outputs: ``python notebooks/make_outputs.py [name ...]`` (extra ``test``).

Each notebook runs in a real JupyterLab in Chromium. Text outputs are saved unchanged; other outputs, such as
figures and whole pages, are saved as pictures, so that a code host displays what a reader would see. This script
is independent of the cells' content.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from sampler.version import MADE_WITH  # noqa: E402
from tests.browser.jupyterlab import JupyterLab, Notebook, code_without_outputs  # noqa: E402
from tests.browser.person import DEEP, FLAGS  # noqa: E402

LIMIT = 300_000
"""Maximum size of a notebook in bytes."""
COLOURS = 96
"""Colours of a picture: figures have few, and halving them saves a tenth of the bytes."""
SETTLED = """() => {
  const drawn = window.frames_painted ? frames_painted() : 0, state = window.shown ? shown() : {}
  return state.done === "1" || state.ended === "finished" || (drawn && epoch_shown() >= 120)
}"""
"""Condition for the picture of a page in a frame: its job is done, or Live has played to epoch 120."""
LONGEST = 300_000
"""Timeout for this condition, in milliseconds."""
TEXT = ("application/vnd.jupyter.stdout", "application/vnd.jupyter.stderr", "application/vnd.jupyter.error", "text/plain")
"""MIME types by which JupyterLab marks text outputs."""


def picture(element) -> str:
    """Return an element as a small PNG, in base64."""
    image = Image.open(io.BytesIO(element.screenshot(animations="disabled")))
    image = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(buffer := io.BytesIO(), "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


def is_text(output) -> bool:
    """Return whether an output is saved unchanged."""
    return output.output_type in ("stream", "error") or set(output.data) == {"text/plain"}


def outputs_of(notebook: Notebook, number: int, saved: list) -> list:
    """Return a cell's outputs in display order, with pictures for all that are not text."""
    kept, texts = [], [output for output in saved if is_text(output)]
    for output in notebook.cell(number).locator(".jp-OutputArea-output").all():
        if output.get_attribute("data-mime-type") in TEXT:
            kept.append(texts.pop(0))
            continue
        frame = output.locator("iframe")
        if frame.count():
            output.scroll_into_view_if_needed()  # a frame out of sight is not painted
            frame.element_handle().content_frame().wait_for_function(SETTLED, timeout=LONGEST)
        box = output.bounding_box()
        if not box or box["height"] < 8:
            continue  # a script, nothing to see
        output.scroll_into_view_if_needed()
        notebook.page.wait_for_timeout(500)  # wait for transitions to end
        words = "A page of the dashboard, as the cell shows it." if frame.count() else "A figure, as the cell shows it."
        kept.append(nbformat.v4.new_output("display_data", {"image/png": picture(output), "text/plain": words}))
    return kept + texts


def make(name: str, lab: JupyterLab, browser) -> None:
    """Run one notebook and save it with its outputs."""
    path, copy = HERE / f"{name}.ipynb", lab.folder / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    code = code_without_outputs(notebook)
    nbformat.write(notebook, copy)
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(60_000)
    page.add_init_script(DEEP)
    shown = Notebook(page, lab, copy.name)
    for number in range(len(code)):
        shown.run(number, patience=300)
    shown.save()
    saved = [cell for cell in nbformat.read(copy, as_version=4).cells if cell.cell_type == "code"]
    for number, (cell, ran) in enumerate(zip(code, saved, strict=True)):
        cell.execution_count = number + 1
        cell.outputs = outputs_of(shown, number, ran.outputs)
    page.close()
    notebook.metadata["made_with"] = MADE_WITH
    nbformat.write(notebook, path)
    size = path.stat().st_size
    print(f"{path.name}: {size / 1e3:.0f} kB")
    if size > LIMIT:
        sys.exit(f"{path.name} has {size:,} bytes, more than {LIMIT:,}: show smaller figures, or fewer COLOURS")


def main() -> None:
    """Run the named notebooks, or all."""
    chromium = os.environ.get("LAB_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("no Chromium found: install one or set LAB_CHROMIUM to its path")
    names = [Path(name).stem for name in sys.argv[1:]] or sorted(path.stem for path in HERE.glob("*.ipynb"))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        lab = JupyterLab(Path(folder))
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            for name in names:
                make(name, lab, browser)
            browser.close()
        finally:
            lab.stop()


if __name__ == "__main__":
    main()
