"""The gallery of notebooks: first picture, title and first sentences of each."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
SENTENCES = 2


def _cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def pictures() -> dict[str, bytes]:
    """Return the first picture of each notebook, as name -> PNG."""
    first = {}
    for path in NOTEBOOKS:
        shown = (output["data"]["image/png"] for cell in _cells(path) for output in cell.get("outputs", ())
                 if "image/png" in output.get("data", {}))
        first[f"pictures/notebooks/{path.stem}.png"] = base64.b64decode("".join(next(shown)))
    return first


def gallery() -> str:
    """Return the gallery as HTML, for a page one folder below the root of the site."""
    cards = []
    for path in NOTEBOOKS:
        title, _, text = "".join(_cells(path)[0]["source"]).removeprefix("# ").partition("\n\n")
        words = " ".join(text.split()).split(". ")[:SENTENCES]
        link, picture = f"../notebooks/{path.stem}.html", f"../pictures/notebooks/{path.stem}.png"
        words = html.escape(". ".join(words).replace("*", "").rstrip("."))
        cards.append(f'<a class="card" href="{link}"><img src="{picture}" alt="" loading="lazy">'
                     f"<strong>{html.escape(title)}</strong><span>{words}.</span></a>")
    return f'<div class="gallery">{"".join(cards)}</div>'
