"""`page_of`: the lab as one HTML file; `site_of`: the same as a folder for a static host, with an index of the lessons."""

from __future__ import annotations

import base64
import json
import zlib
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from bokeh.resources import Resources

from app.extras.lab_file.content import lab_content
from app.extras.lab_file.exit_facts import exit_facts
from app.glossary.browser import katex
from app.js.bundles import bundle_text
from app.theme import css_variables
from sampler.version import VERSION
from sampler.wasm import MANIFEST, MODULE

LOGO = Path(__file__).parents[2] / "chrome" / "logo.svg"
POLICY = ("default-src 'none'; connect-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:;"
          " style-src 'unsafe-inline'; font-src data:; img-src data: blob:; base-uri 'none'; form-action 'none'")
"""Says to the browser that the file asks for nothing, whatever a name in it may contain."""
FIRST = ("script", "wasm", "manifest")
"""Parts that a run needs: its worker, a script as it is, starts once they are read."""
LICENCES = ("BokehJS, Copyright (c) Anaconda, Inc., and Bokeh Contributors, licence BSD-3-Clause:"
            " https://github.com/bokeh/bokeh/blob/main/LICENSE.txt. KaTeX, Copyright (c) Khan Academy and other"
            " contributors, licence MIT: https://github.com/KaTeX/KaTeX/blob/main/LICENSE")


def packed(data: bytes | str | dict[str, Any]) -> str:
    """Return bytes, text or JSON deflated, in base64: no text in it can end the element of a page that holds it."""
    if isinstance(data, dict):
        data = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(data.encode() if isinstance(data, str) else data, 9)).decode("ascii")


@cache
def scripts() -> dict[str, str]:
    """Return what is the same in every file, packed: Exit time, BokehJS without widgets and tables, KaTeX, kernels."""
    glossary = katex()
    fonts = [[family, base64.b64encode(data).decode("ascii"), slant] for family, data, slant in glossary["fonts"]]
    bokeh = "".join(Resources(mode="inline", components=["bokeh"], minified=True).js_raw)
    return {"exit": packed(exit_facts()), "wasm": packed(MODULE.read_bytes()),
            "manifest": packed(MANIFEST.read_text(encoding="utf-8")), "bokeh": packed(bokeh),
            "katex": packed(glossary | {"fonts": fonts})}


def page_of(link: str = "", lessons: tuple[str, ...] = (), served: str = "", parts: dict[str, str] | None = None) -> str:
    """Return the file.

    Parameters
    ----------
    link : str
        URL parameters that it opens with, such as ``"eta0=5&seed=1"``, where its address has none.
    lessons : tuple of str
        Keys of the lessons that it tells; by default all.
    served : str
        Address of a served lab, for links that open there; by default unknown.
    parts : dict
        Parts that take the place of those of `scripts`, or of the worker's "script".
    """
    content = lab_content() | {"served": served}
    if lessons:
        by_key = {one["key"]: one for one in content["lessons"]["list"]}
        content["lessons"] = {"opening": [], "list": [by_key[key] for key in lessons]}
    icon = LOGO.read_text(encoding="utf-8").replace("#", "%23").replace('"', "'")
    packs = {"content": packed(content)} | scripts() | {"script": bundle_text("lab_worker")} | (parts or {})
    return "".join([
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">',
        f'<meta name="generator" content="Exit-Time Lab {escape(VERSION)}">',
        '<meta name="description" content="Watch Online SAGA-LD sample a growing posterior, and turn every knob of it.">',
        f'<title>Exit-Time Lab</title><link rel="icon" href="data:image/svg+xml,{icon}">',
        f'<style id="lab-variables">{css_variables()}</style><script>{bundle_text("lab_theme")}</script></head>'
        f"<body><!-- {LICENCES} -->",
        '<noscript>The lab needs JavaScript, which is switched off here.</noscript><div id="lab"></div>',
        f'<script type="text/plain" id="link">{link.replace("<", "%3C")}</script>',
        *(_kept(name, packs.pop(name)) for name in FIRST), f"<script>{bundle_text('lab_start')}</script>",
        *(_kept(name, text) for name, text in packs.items()),
        f'<script type="module">{bundle_text("lab_file")}</script></body></html>\n'])


def _kept(name: str, text: str) -> str:
    """Return the element that holds a part: no browser runs it."""
    return f'<script type="text/plain" id="{name}">{text}</script>'
