"""HoloViews draws with Bokeh."""

import holoviews as hv
import pytest


@pytest.fixture(autouse=True, scope="session")
def bokeh():
    hv.extension("bokeh")
