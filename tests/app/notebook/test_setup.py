"""Figures in a notebook hold all they need: run in a process of its own, as `setup` is meant for one."""

import subprocess
import sys

SHOW = """
import re
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
import holoviews as hv
from app import plots
from app.notebook import setup
setup()
setup()  # a cell that is run again
line = plots.lines([plots.Line("a", [1, 2], [1, 2])], "x", "y")
for figure in (hv.Curve([1, 2, 3]) * hv.Scatter([1, 2, 3]), line, line + line):
    data, _ = shell.display_formatter.format(figure)
    print(len(data["text/html"]) > 5_000, re.findall(r"https?://cdn[.]\\S+", data["text/html"]))
"""


def test_a_figure_asks_no_other_host_for_its_files():
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", SHOW], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-3:] == ["True []"] * 3
