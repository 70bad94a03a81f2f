"""Figures in a notebook hold all they need: run in a process of its own, as `setup` is meant for one."""

import subprocess
import sys

SHOW = """
import re
import holoviews as hv
from app.notebook import setup
setup()
setup()  # a cell that is run again
data, _ = hv.renderer("bokeh").components(hv.Curve([1, 2, 3]) * hv.Scatter([1, 2, 3]))
asked = re.findall(r"https?://cdn[.]\\S+", data["text/html"])
print(len(data["text/html"]) > 5_000, asked)
"""


def test_a_figure_asks_no_other_host_for_its_files():
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", SHOW], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "True []"
