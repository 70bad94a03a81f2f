"""Entry point: ``panel serve app`` shows the dashboard at /app."""

import sys

import panel as pn

from app.chrome.frame import Frame

pn.extension(sizing_mode="stretch_width", notifications=False)
pn.config.respect_explicit_sizing = True

Frame(pn.state.session_args or {}, sys.argv[1:]).page.servable(title="Exit-Time Lab")
