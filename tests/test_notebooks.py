"""Every notebook runs from top to bottom and is saved with its outputs."""

import base64
import json
import struct
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
LIMIT = 300_000
"""Largest size in bytes that a code host still renders."""
KINDS = {"text/plain", "image/png"}
"""MIME types that notebook viewers render without running code."""


def has_output(cell):
    return any(output["output_type"] == "stream" or KINDS & set(output.get("data", ())) for output in cell["outputs"])


def warnings_in(cells):
    return [output["text"] for cell in cells for output in cell.get("outputs", ()) if output["output_type"] == "stream"
            and output["name"] == "stderr" and "warning" in "".join(output["text"]).lower()]


@pytest.mark.journey
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")  # from the kernel's sockets
def test_notebook_runs_and_has_the_saved_outputs(path):
    from nbclient import NotebookClient

    from tests.browser.jupyterlab import code_without_outputs, read_notebook

    notebook = read_notebook(path)
    saved = [has_output(cell) for cell in notebook.cells if cell.cell_type == "code"]
    cells = code_without_outputs(notebook)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    assert not warnings_in(cells)
    assert [has_output(cell) for cell in cells] == saved, f"run python notebooks/make_outputs.py {path.stem}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_saved_outputs_are_small_images_ending_with_a_page(path):
    assert path.stat().st_size <= LIMIT
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert not warnings_in(cells)
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert {kind for output in outputs for kind in output.get("data", ())} <= KINDS
    picture = base64.b64decode("".join(outputs[-1]["data"]["image/png"]))
    width, height = struct.unpack(">II", picture[16:24])  # of a PNG's header
    assert width > 600 and height > 400
