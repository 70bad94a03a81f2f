"""The help: what the page shows, the keys, the assumptions, all terms, the papers' errata. Nothing is fetched."""

from __future__ import annotations

import tomllib
from pathlib import Path

import panel_material_ui as pmui
import param

from app.browser_messages import OneWayComponent
from app.chrome.errata_text import errata_html
from app.glossary import marked
from app.glossary.browser import LISTING
from app.theme import STILL
from app.widgets.text_size import scaled_text
from sampler.version import MADE_WITH

_STYLE = """
:host{font:400 13.5px/1.5 Roboto,Arial,sans-serif;color:var(--lab-ink)}
nav{display:flex;gap:14px;flex-wrap:wrap;margin:0 0 10px}
nav button{font:inherit;color:var(--lab-primary);background:none;border:0;padding:0;cursor:pointer;
min-height:24px;min-width:24px}
nav button:hover{text-decoration:underline}
h3{font-size:14px;margin:16px 0 4px;scroll-margin-top:8px} p{margin:0 0 8px}
dl{display:grid;grid-template-columns:auto 1fr;gap:3px 14px;margin:0} dt{white-space:nowrap;font-weight:700}
dd{margin:0}
kbd{font:inherit;font-size:12px;border:1px solid
var(--lab-line);border-bottom-width:2px;border-radius:4px;padding:0 6px;background:var(--lab-chip)}
.f{font-size:14.5px;margin:4px 0 8px;padding:8px
12px;background:var(--lab-chip);border-radius:6px;overflow:auto;white-space:nowrap}
sub,sup{font-size:.72em;line-height:0} i.k{font-style:normal;font-weight:700}
.esc{color:var(--lab-esctx)} .acc{color:var(--lab-acctx)} .chain{color:var(--lab-chain)}
.sgld{color:var(--lab-sgldtx)}
h4{font-size:13px;margin:12px 0 2px;font-weight:400;color:var(--lab-ink2)}
details{border-top:1px solid var(--lab-line)}
summary{cursor:pointer;padding:5px 2px;border-radius:4px}
summary:focus-visible{outline:2px solid var(--lab-primary)}
summary span{color:var(--lab-ink2);float:right;margin-left:12px}
summary::after{content:"";display:block;clear:both}
details dl{padding:2px 2px 10px 14px}
.release{margin:18px 0 0;padding-top:8px;border-top:1px solid var(--lab-line);
color:var(--lab-ink2);font-size:12px}
.find{font:inherit;color:inherit;width:100%;
padding:6px 10px;border:1px solid var(--lab-line);border-radius:6px;background:var(--lab-card)}
.find:focus-visible{outline:2px solid var(--lab-primary)}
.found{margin:4px 0;color:var(--lab-ink2);font-size:12px}
.entry{border-top:1px solid var(--lab-line);padding:8px 2px 7px}.entry[hidden]{display:none}
.entry h4{margin:0 0 2px;font-weight:700;
color:var(--lab-ink);display:flex;gap:14px;justify-content:space-between}
.entry p{margin:0}.entry .formula{margin:7px 0 5px;overflow:auto hidden}
.entry .soft{color:var(--lab-ink2);font-size:12px;margin-top:3px}
@media (max-width:600px){details dl{grid-template-columns:1fr} summary span{float:none;display:block;margin-left:14px}}
"""

_SECTIONS = tomllib.loads((Path(__file__).parent / "help_texts.toml").read_text(encoding="utf-8"))
"""Title -> HTML with marks."""

_GLOSSARY = ("<p>Every word with a dotted line under it, on any page: point at it, reach it by tab, or tap it.</p>"
             '<div class="glossary"></div>')


class HelpText(OneWayComponent):
    """The text with its table of contents, whose links scroll inside the dialog, and the glossary with its search."""

    _esm = LISTING.read_text(encoding="utf-8") + """
export function render({model}) {
  const root = document.createElement("div")
  root.innerHTML = model.html
  root.addEventListener("keydown", event => { // a fold or a letter of the search, not the player
    if (event.key === " " || event.composedPath()[0].matches?.("input") && event.key !== "Escape") event.stopPropagation()
  })
  for (const link of root.querySelectorAll("nav button")) {
    link.addEventListener("click", () => {
      const section = root.querySelector(`[data-section="${link.dataset.to}"]`)
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches
      section.scrollIntoView({behavior: still ? "instant" : "smooth", block: "start"})
      section.focus({preventScroll: true}) // the next press of Tab goes on from there
    })
  }
  listTerms(root.querySelector(".glossary"))
  scrolledByKeys(root)
  return root
}
"""
    _stylesheets = [scaled_text(_STYLE)]
    html = param.String()


def help_dialog() -> pmui.Dialog:
    """Return the closed dialog; set its `open` to show it."""
    sections = {title: marked(text) for title, text in _SECTIONS.items()}
    sections |= {"Glossary": _GLOSSARY, "Errata": errata_html()}
    links = "".join(f'<button data-to="{i}">{title}</button>' for i, title in enumerate(sections))
    body = "".join(f'<h3 data-section="{i}" tabindex="-1">{title}</h3>{text}'
                   for i, (title, text) in enumerate(sections.items()))
    release = f'<p class="release">{MADE_WITH}, MIT licence</p>'
    text = HelpText(html=f'<nav aria-label="Sections">{links}</nav>{body}{release}', sizing_mode="stretch_width")
    return pmui.Dialog(text, title="What you are looking at", open=False, close_on_click=True,
                       show_close_button=True, width_option="sm", scroll="paper", title_variant="h4",
                       sx={"& .MuiDialogTitle-root": {"padding": "14px 16px 8px"}, **STILL})
