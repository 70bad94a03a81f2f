"""A separate JupyterLab and a driver of its notebooks."""

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import Request, urlopen

from playwright.sync_api import Error, expect

from tests.ports import wait_for_output
from tests.waiting import wait_for

ROOT = Path(__file__).parents[2]
PATIENCE = 180  # seconds
PROMPT = "document.querySelectorAll('.jp-Notebook .jp-CodeCell')[n]?.querySelector('.jp-InputPrompt')?.textContent"
"""Prompt of a cell: `[ ]:`, `[*]:` while it waits or runs, then its number."""


def read_notebook(path: Path):
    import nbformat  # takes 4 s: not in every process of the tests

    return nbformat.read(path, as_version=4)


def write_notebook(path: Path, *cells: str) -> None:
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


def code_without_outputs(notebook) -> list:
    """Clear the outputs of a notebook; return its code cells."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code:
        cell.outputs, cell.execution_count = [], None
    return code


class JupyterLab:
    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / ".log"
        settings = folder / ".settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
        chosen = folder / ".config" / "labconfig" / "page_config.json"
        chosen.parent.mkdir(parents=True)
        chosen.write_text(json.dumps({"disabledExtensions": {  # it logs an error if a window closes during a request
            "@jupyterlab/debugger-extension": True}}))
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), "IPYTHONDIR": f"{folder}/.ipython",
            "JUPYTER_RUNTIME_DIR": f"{folder}/.runtime", "JUPYTER_CONFIG_DIR": f"{folder}/.config",
            "JUPYTERLAB_SETTINGS_DIR": f"{folder}/.settings", "JUPYTERLAB_WORKSPACES_DIR": f"{folder}/.workspaces"}
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "jupyterlab", "--no-browser", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0",
                 "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True", "--ServerApp.allow_root=True",
                 f"--ServerApp.root_dir={folder}", "--LabApp.extension_manager=readonly"],
                cwd=folder, env=environment, stdout=log, stderr=log)
        self.url = wait_for_output(self._process, self.log, r"(http://127\.0\.0\.1:\d+)/lab")[1]

    def end_kernels(self) -> None:
        for kernel in json.loads(urlopen(f"{self.url}/api/kernels").read()):
            urlopen(Request(f"{self.url}/api/kernels/{kernel['id']}", method="DELETE")).close()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)


class Notebook:
    """A notebook in a window; cells are numbered from 0."""

    def __init__(self, page, lab: JupyterLab, name: str) -> None:
        self.page, self._path = page, lab.folder / name
        self._accept = page.locator(".jp-Dialog .jp-mod-accept")
        page.goto(f"{lab.url}/doc/tree/{name}?reset")
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
        expect(page.locator(".jp-Toolbar-kernelName")).to_contain_text("Python 3")  # no cell runs while it reads No Kernel

    def cell(self, number: int):
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(number)

    def run(self, number: int, patience: float = PATIENCE) -> str:
        """Run a cell, wait for its end, at most `patience` seconds; return the text it printed."""
        cell, deadline = self.cell(number), time.monotonic() + patience
        before = self.page.evaluate(f"([n]) => {PROMPT}", [number])
        while self.page.evaluate(f"([n]) => {PROMPT}", [number]) == before:
            assert time.monotonic() < deadline, f"cell {number} did not start: is the kernel running?"
            with suppress(Error):  # while the kernel starts, a dialog may ask for one
                if self._accept.count():
                    self._accept.click(timeout=5_000)
                cell.locator(".jp-InputArea-editor").click(timeout=15_000)
                self.page.keyboard.press("Control+Enter")
                self.page.wait_for_function(f"([n, before]) => {PROMPT} !== before", arg=[number, before], timeout=15_000)
        self.page.wait_for_function(f"([n]) => /\\[\\d+\\]/.test({PROMPT})", arg=[number], timeout=1e3 * patience)
        return "\n".join(cell.locator(".jp-OutputArea-output pre").all_text_contents()).strip()

    def until(self, number: int, text: str) -> None:
        wait_for(lambda: self.run(number) == text, f"cell {number} never prints {text!r}", PATIENCE)

    def frame(self, number: int):
        try:
            return self.cell(number).locator(".jp-OutputArea iframe").element_handle().content_frame()
        except Error as error:
            raise AssertionError(f"cell {number} shows no page, but: {self.cell(number).text_content()}") from error

    def shown(self, number: int, condition: str):
        """Wait until the page of a cell meets a condition of its frame's script; return the frame."""
        deadline = time.monotonic() + PATIENCE
        while True:  # a notebook just opened may draw its cells twice
            frame = self.frame(number)
            with suppress(Error):
                frame.frame_element().scroll_into_view_if_needed()  # a frame out of view is not painted and does not answer
                frame.wait_for_function(condition, timeout=10_000)
                return frame
            assert time.monotonic() < deadline, f"the page of cell {number} never reached: {condition}"

    def play(self, number: int):
        return self.shown(number, "window.frames_painted && frames_painted() > 2")

    def save(self) -> None:
        before = self._path.stat().st_mtime_ns
        self.page.keyboard.press("Control+s")
        wait_for(lambda: self._path.stat().st_mtime_ns != before and self._whole(), "the notebook was not saved", PATIENCE,
                 look=lambda: self.page.wait_for_timeout(50))

    def _whole(self) -> bool:
        try:
            return bool(json.loads(self._path.read_text(encoding="utf-8")))
        except ValueError:
            return False

    def restart_kernel(self) -> None:
        self.page.get_by_role("menuitem", name="Kernel", exact=True).click()
        self.page.get_by_text("Restart Kernel…", exact=True).click()
        self._accept.click()
