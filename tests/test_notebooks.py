"""Every notebook runs top to bottom, as a person would run it."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")  # of the kernel's own sockets
def test_notebook_runs_top_to_bottom(path):
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit notebooks without outputs"
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    warned = [output.text for cell in notebook.cells for output in cell.get("outputs", ())
              if output.output_type == "stream" and output.name == "stderr" and "Warning" in output.text]
    assert not warned


def test_there_are_notebooks():
    assert NOTEBOOKS
