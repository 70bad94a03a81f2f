"""The HTML file: words, colours, fonts, scripts and the packed columns; nothing in it asks for anything outside it."""

from __future__ import annotations

import base64
import json
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import panel_material_ui

from app.canvas.javascript_modules import join_modules
from app.recording.packing import as_json
from app.theme import FONT, TOKENS, css_variables
from app.widgets.component import SHARED_CSS, SHARED_JS
from app.widgets.text_size import scaled_text, scaled_widths
from app.widgets.verdict_card import VerdictCard

FOLDER = Path(__file__).parent / "js"
CANVAS = Path(__file__).parents[1] / "canvas" / "js" / "chain_picture.js"
LOGO = Path(__file__).parents[1] / "chrome" / "logo.svg"
FONTS = Path(panel_material_ui.__file__).parent / "dist"
_RANGES = {"latin": "U+0000-00FF,U+2000-206F,U+2122,U+2191,U+2193,U+2212,U+2215", "greek": "U+0370-03FF"}
POLICY = ("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; font-src data:; img-src data: blob:;"
          " base-uri 'none'; form-action 'none'")
"""Says to the browser that the file asks for nothing, whatever a name in it may contain."""


def page_of(head: dict[str, Any], packed: str) -> str:
    """Return the page.

    Parameters
    ----------
    head : dict
        What the page needs besides the arrays; any text in it may have come from a user.
    packed : str
        The arrays, of `Blocks.text`.
    """
    theme = {"tokens": TOKENS, "font": FONT, "logo": LOGO.read_text(encoding="utf-8")}
    return "".join([
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">',
        f'<meta name="generator" content="Exit-Time Lab {escape(head["version"])}">',
        f'<title>{escape(head["title"])} · Exit-Time Lab</title><link rel="icon" href="data:,">',
        f"<style>{_fonts()}{css_variables()}{SHARED_CSS.replace(':host', 'body')}{_style()}</style></head><body>",
        '<noscript>This recording needs JavaScript, which is switched off here.</noscript><div id="recording"></div>',
        f'<script type="application/json" id="head">{in_script(head)}</script>',
        f'<script type="application/json" id="theme">{in_script(theme)}</script>',
        f'<script type="text/plain" id="packed">{packed}</script>',
        f'<script type="module">{_script()}</script></body></html>\n'])


def in_script(value: Any) -> str:
    """Return a value as JSON that no text in it can end: "</script>" and "<!--" stay words."""
    return as_json(value).replace("<", "\\u003c")


@lru_cache(maxsize=1)
def _script() -> str:
    """All modules as one: the canvas's own, the player's, and the verdict's card in a scope of its own."""
    card = VerdictCard._esm.removeprefix(SHARED_JS).replace("export function render", "return function render")
    style = json.dumps(VerdictCard._stylesheets[0])
    verdict = f"const renderVerdict = (() => {{\n{card}\n}})();\nconst VERDICT_STYLE = {style};\n"
    canvas = join_modules(CANVAS).replace("export class ChainPicture", "class ChainPicture")
    player = scaled_widths(join_modules(FOLDER / "player.js"))
    return "\n".join([SHARED_JS, verdict, canvas, player]).replace("</script", "<\\/script")


@lru_cache(maxsize=1)
def _style() -> str:
    return scaled_text("".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.css"))))


@lru_cache(maxsize=1)
def _fonts() -> str:
    """Roboto in two weights, Latin and Greek, as Live shows it; other signs come from the reader's own fonts."""
    faces = []
    for weight in (400, 700):
        for letters, codes in _RANGES.items():
            for path in FONTS.glob(f"roboto-{letters}-{weight}-normal-*.woff2"):
                data = base64.b64encode(path.read_bytes()).decode("ascii")
                faces.append(f"@font-face{{font-family:Roboto;font-weight:{weight};unicode-range:{codes};"
                             f"src:url(data:font/woff2;base64,{data}) format('woff2')}}")
    return "".join(faces)
