"""Every notebook runs top to bottom, as a person would run it, and is saved with what its cells show."""

import base64
import json
import struct
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
LIMIT = 300_000
"""Bytes of a notebook, at most: a code host shows it at once."""
KINDS = {"text/plain", "image/png"}
"""Kinds of data that any reader of notebooks can show without running something."""


def shows(cell):
    return any(output["output_type"] == "stream" or KINDS & set(output.get("data", ())) for output in cell["outputs"])


def warnings_in(cells):
    return [output["text"] for cell in cells for output in cell.get("outputs", ()) if output["output_type"] == "stream"
            and output["name"] == "stderr" and "warning" in "".join(output["text"]).lower()]


@pytest.mark.journey
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")  # of the kernel's own sockets
def test_notebook_runs_top_to_bottom_and_shows_what_is_saved(path):
    from nbclient import NotebookClient

    from tests.browser.jupyterlab import code_without_outputs, read_notebook

    notebook = read_notebook(path)
    saved = [shows(cell) for cell in notebook.cells if cell.cell_type == "code"]
    cells = code_without_outputs(notebook)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    assert not warnings_in(cells)
    assert [shows(cell) for cell in cells] == saved, f"run python notebooks/make_outputs.py {path.stem}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_saved_outputs_are_small_stills_that_end_in_a_page(path):
    assert path.stat().st_size <= LIMIT
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert not warnings_in(cells)
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert {kind for output in outputs for kind in output.get("data", ())} <= KINDS
    picture = base64.b64decode("".join(outputs[-1]["data"]["image/png"]))
    width, height = struct.unpack(">II", picture[16:24])  # of a PNG's header
    assert width > 600 and height > 400
