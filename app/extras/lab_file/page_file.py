"""`page_of`: the lab as one HTML file; `index_of`: start page of a folder with that file, with links to its lessons."""

import base64
import json
import zlib
from functools import cache
from html import escape
from typing import Any

from bokeh.resources import Resources

from app.chrome.header import ICON, LOGO
from app.extras.lab_file.content import exit_facts, lab_content
from app.glossary import unmarked
from app.glossary.browser import katex
from app.js.bundles import bundle_text
from app.lessons.reader import gather_lessons
from app.theme import css_variables
from sampler.version import MADE_WITH, VERSION
from sampler.wasm import MANIFEST, MODULE

POLICY = ("default-src 'none'; connect-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:;"
          " style-src 'unsafe-inline'; font-src data:; img-src data: blob:; base-uri 'none'; form-action 'none'")
"""Content security policy: the file sends no requests, whatever its texts contain."""
FIRST = ("script", "wasm", "manifest")
"""Parts required by a run, placed first: the worker starts once they are read; its script is not packed."""
LICENCES = ("BokehJS, Copyright (c) Anaconda, Inc., and Bokeh Contributors, licence BSD-3-Clause:"
            " https://github.com/bokeh/bokeh/blob/main/LICENSE.txt. KaTeX, Copyright (c) Khan Academy and other"
            " contributors, licence MIT: https://github.com/KaTeX/KaTeX/blob/main/LICENSE")


def packed(data: bytes | str | dict[str, Any]) -> str:
    """Return bytes, text or JSON, deflated and base64-encoded, so that it cannot close its HTML element."""
    if isinstance(data, dict):
        data = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(data.encode() if isinstance(data, str) else data, 9)).decode("ascii")


@cache
def scripts() -> dict[str, str]:
    """Return the packed parts common to all files: Exit time, BokehJS without widgets and tables, KaTeX, kernels."""
    glossary = katex()
    fonts = [[family, base64.b64encode(data).decode("ascii"), slant] for family, data, slant in glossary["fonts"]]
    bokeh = "".join(Resources(mode="inline", components=["bokeh"], minified=True).js_raw)
    return {"exit": packed(exit_facts()), "wasm": packed(MODULE.read_bytes()),
            "manifest": packed(MANIFEST.read_text(encoding="utf-8")), "bokeh": packed(bokeh),
            "katex": packed(glossary | {"fonts": fonts})}


def page_of(link: str = "", lessons: tuple[str, ...] = (), served: str = "") -> str:
    """Return the lab as HTML.

    Parameters
    ----------
    link : str
        Initial URL parameters, such as ``"eta0=5&seed=1"``, used if the address of the file has none.
    lessons : tuple of str
        Keys of its lessons; by default all.
    served : str
        Address of a served lab, for links to it; by default none.
    """
    content = lab_content() | {"served": served}
    if lessons:
        by_key = {one["key"]: one for one in content["lessons"]["list"]}
        content["lessons"] = {"opening": [], "list": [by_key[key] for key in lessons]}
    packs = {"content": packed(content)} | scripts() | {"script": bundle_text("lab_worker")}
    return "".join([
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">',
        f'<meta name="generator" content="Exit-Time Lab {escape(VERSION)}">',
        '<meta name="description" content="Watch Online SAGA-LD sample a growing posterior, and turn every knob of it.">',
        f'<title>Exit-Time Lab</title><link rel="icon" href="{ICON}">',
        f'<style id="lab-variables">{css_variables()}</style><script>{bundle_text("lab_theme")}</script></head>'
        f"<body><!-- {LICENCES} -->",
        '<noscript>The lab needs JavaScript, which is disabled in this browser.</noscript><div id="lab"></div>',
        f'<script type="text/plain" id="link">{link.replace("<", "%3C")}</script>',
        *(_data_element(name, packs.pop(name)) for name in FIRST), f"<script>{bundle_text('lab_start')}</script>",
        *(_data_element(name, text) for name, text in packs.items()),
        f'<script type="module">{bundle_text("lab_file")}</script></body></html>\n'])


def _data_element(name: str, text: str) -> str:
    """Return an inert element that contains a part."""
    return f'<script type="text/plain" id="{name}">{text}</script>'


INDEX_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body{font:400 16px/1.5 Roboto,Arial,sans-serif;color:var(--lab-ink);margin:0}
main{max-width:720px;margin:0 auto;padding:48px 20px}
.logo svg{width:44px;height:44px;display:block}
h1{font-size:28px;margin:12px 0 4px}h2{font-size:18px;margin:32px 0 8px}p{margin:0 0 12px;color:var(--lab-ink2)}
a{color:var(--lab-primary)}.open{display:inline-block;background:var(--lab-primary);color:var(--lab-on);font-weight:700;
padding:10px 18px;border-radius:8px;text-decoration:none}
ol{list-style:none;padding:0;margin:0;border-top:1px solid var(--lab-line)}
li{border-bottom:1px solid var(--lab-line)}
li a{display:flex;gap:16px;padding:11px 6px;text-decoration:none;color:inherit}li a:hover{background:var(--lab-chip)}
li i{font-style:normal;width:24px;color:var(--lab-ink2);text-align:right}
li b{flex:1;font-weight:400}li small{color:var(--lab-ink2)}
footer{margin-top:32px;font-size:13px;color:var(--lab-ink2)}
"""


def index_of(lessons: tuple[str, ...] = ()) -> str:
    """Return the start page of a folder with the lab, ``lab.html``, as HTML.

    Parameters
    ----------
    lessons : tuple of str
        Keys of the lab's lessons; by default all lessons on Live.
    """
    all_lessons, _ = gather_lessons()
    listed = [one for one in all_lessons if one.page == "live" and (not lessons or one.key in lessons)]
    lines = "".join(f'<li><a href="lab.html?lesson={one.key}"><i>{number}</i><b>{escape(unmarked(one.title))}</b>'
                    f"<small>{one.minutes} min</small></a></li>" for number, one in enumerate(listed))
    dark = css_variables().replace(":root[data-theme=dark]", ":root:root")
    dark = dark[dark.index(":root:root"):dark.index("html,body")]
    return "".join([
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{INDEX_POLICY}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1"><title>Exit-Time Lab</title>',
        f"<style>{css_variables()}@media (prefers-color-scheme:dark){{{dark}}}{_STYLE}</style></head><body><main>",
        f'<span class="logo">{LOGO}</span><h1>Exit-Time Lab</h1>',
        "<p>Watch Online SAGA-LD sample a posterior that grows with the data, and turn every knob of it. It runs in your"
        " browser: nothing is installed, nothing is sent anywhere.</p>",
        f'<p><a class="open" href="lab.html">Open the lab</a></p><h2>Lessons</h2><ol>{lines}</ol>',
        f"<footer>{escape(MADE_WITH)}, MIT licence</footer></main></body></html>\n"])
