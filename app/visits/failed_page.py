"""What a browser gets where its page could not be built: words and two ways on, not a spinner that never ends."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import panel as pn
from jinja2 import Environment

from app.chrome.frame import STAY
from app.theme import FONT, css_variables
from app.widgets.component import FOLDER

HERE = Path(__file__).parent
_PAGE = Environment(autoescape=True).from_string((HERE / "failed_page.html").read_text(encoding="utf-8"))


def show_failure(document: Any, query: dict[str, Any]) -> Any:
    """Log the exception that is handled, and say on the page that there was one; no connection is needed for that.

    Parameters
    ----------
    document
        That was to hold the page.
    query
        URL parameters; of these the way without settings keeps only those of a class.

    Returns
    -------
    What the document consists of: nothing.
    """
    logging.getLogger(__name__).exception("A page could not be built")
    scripts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("theme.js", "load_anew.js")]
    styles = [(FOLDER / "shared.css").read_text(encoding="utf-8"), (HERE / "waiting_card.css").read_text(encoding="utf-8")]
    plain = f"body{{margin:0;font:400 15px/1.5 {FONT};color:var(--lab-ink)}}a{{text-decoration:none}}"
    kept = {name: query[name][0].decode(errors="replace") for name in STAY if query.get(name)}
    document.template = _PAGE
    document.template_variables.update(script="\n".join(scripts), style="\n".join([css_variables(), *styles, plain]),
                                       at=time.strftime("%H:%M:%S"), rest=urlencode(kept))
    return pn.Spacer(width=0, height=0)
