"""Entry point: ``panel serve app`` serves the dashboard at /app."""

import sys

import panel as pn

from app.server.visits import page_of

pn.extension(sizing_mode="stretch_width", notifications=False)
pn.config.respect_explicit_sizing = True

page_of(pn.state.session_args or {}, sys.argv[1:]).servable(title="Exit-Time Lab")
