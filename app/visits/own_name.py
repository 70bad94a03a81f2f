"""No new visit bears a name that came in its address: whoever made that address would be in the same visit."""

from __future__ import annotations

from typing import Any

import panel as pn
from jinja2 import Environment

from app.chrome.connection_banner import VISIT
from app.widgets.component import FOLDER

NAMES = (VISIT, "bokeh-token")
"""URL parameters from which Bokeh takes the name of a session, also of one that it does not have."""
_PAGE = Environment(autoescape=True).from_string(
    "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{{ title }}</title>"
    "<script>{{ script | safe }}</script></head><body><noscript>{{ title }} needs JavaScript.</noscript></body></html>")


def named_by_address(document: Any) -> bool:
    """Return whether the name of a new document's session came in the address that the browser asked for."""
    given = getattr(document.session_context.request, "query_arguments", None) or {}
    return any(name in given for name in NAMES)


def open_under_own_name(document: Any) -> Any:
    """Have the browser open the same address without the name; returns what the document consists of: nothing."""
    script = (FOLDER / "load_anew.js").read_text(encoding="utf-8") + "loadAnew()"
    document.template = _PAGE
    document.template_variables["script"] = script
    return pn.Spacer(width=0, height=0)
