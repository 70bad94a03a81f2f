"""The help: what the page shows, the keys, the assumptions, the papers' errata. Plain HTML; nothing is fetched."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui
import param

from app.chrome.errata_text import errata_html

_STYLE = """
:host{font:400 13.5px/1.5 Roboto,Arial,sans-serif;color:var(--lab-ink)}
nav{display:flex;gap:14px;flex-wrap:wrap;margin:0 0 10px}
nav button{font:inherit;color:var(--lab-primary);background:none;border:0;padding:0;cursor:pointer}
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
@media (max-width:600px){details dl{grid-template-columns:1fr} summary span{float:none;display:block;margin-left:14px}}
"""

_SECTIONS = {
    "The pages": """
<dl><dt>Live</dt><dd>the sampler running, every knob at once; begin here, or with Lessons.</dd>
<dt>Exit time</dt><dd>thousands of chains through one epoch, against what the proof promises.</dd>
<dt>Tune</dt><dd>your own data or gradient: a map of settings, verdicts, a setting to take into production.</dd>
<dt>Compare</dt><dd>every sampler on the same data at the same counted cost; the papers’ Figure 1 and tables.</dd>
<dt>Offline</dt><dd>data that stand still: Algorithm 3’s ladder, and the SVRG-LD family against data passes.</dd>
<dt>Coreset</dt><dd>a few weighted data in place of all, trained without tuning by Hot DoG.</dd></dl>""",
    "Live: the picture": """
<p>Data arrive one at a time. After each, the target π<sub>t</sub> ∝ exp(−F<sub>t</sub>) is a little
narrower, and every
chain takes a few steps to follow it: that is one epoch. The dots are the chains, the grey loops hold 50, 90
and 99 % of the
target, the cross is its mode.</p>
<p>The <i class="k esc">escape ball</i> R/√(t + c) round the mode is where a chain should stay. Leaving it
is an
<i class="k esc">exit</i>. The <i class="k acc">acceptance ball</i> C′/√(t + c) stands round the checkpoint
◇ of the chain you
follow, taken at the last power of two; a chain found outside at the end of an epoch is put back:
a <i class="k acc">reset</i>.</p>
<p>Preconditioned chains each have a metric H of their own, the curvature a chain has seen. Their acceptance ball is the set
within C′ standard deviations of the checkpoint in the H of that time: an ellipse. In more than two dimensions its shadow
on the plane is drawn. It is that of the chain you follow, else of chain 0, and the words under it say while it is not in
force.</p>""",
    "Live: one step": """
<div class="f">X ← X − η<sub>t</sub> g + √(2η<sub>t</sub>) ξ, &nbsp; η<sub>t</sub> = η<sub>0</sub>/(t + c),
&nbsp; ξ ~ N(0, I)<br>
g = ∇f<sub>0</sub>(X) + s + (t/b) Σ<sub>k ∈ S</sub> (∇f<sub>k</sub>(X) − G<sup>k</sup>)</div>
<p>S holds b data drawn at random, G<sup>k</sup> is the cached gradient of datum k and s the sum of the
cache. Slow the speed
down to one step a second to see the three parts as arrows: the <i class="k sgld">guess</i> from the batch,
the correction from
the cache, and the <i class="k chain">noise</i>.</p>
<div class="f">preconditioned: &nbsp; X ← X − η<sub>0</sub> L<sup>−T</sup> L<sup>−1</sup> g + √(2η<sub>0</sub>)
L<sup>−T</sup> ξ, &nbsp; H = L L<sup>T</sup></div>
<p>The same g in the metric of H, which grows with the data: so the step is η<sub>0</sub> itself, without division by
t + c.</p>""",
    "Live: the charts": """
<p><b>Marginal accuracy</b> is one minus the total variation between the chains' last 16 epochs and the
target, averaged over
the coordinates; the band is what an exact sampler would score with as many draws. <b>Squared distance</b>
is in units of
r² = R²/(t + c), so the escape ball is the line at 1. <b>Gradient variance</b> compares the cached gradient
(SAGA) with the plain
guess (SGLD) and the bound of Lemma 6.2. <b>Cost</b> counts gradient evaluations. All share one epoch axis;
a dotted line marks
each change you make.</p>""",
    "The assumptions": """
<dl><dt>1 smooth</dt><dd>each ∇f<sub>k</sub> is L-Lipschitz; an outlying row raises L.</dd>
<dt>2 concentrated</dt><dd>the target stays within about C/√t of its mode; separable labels break it.</dd>
<dt>3 slow drift</dt><dd>the mode moves at most about D/√t between an epoch and twice that epoch; D is the
largest so far. A truth that turns breaks it.</dd></dl>
<p><b>The theorem and this run</b>: what LMV-a Lemmas 6.4 and 6.6 promise of the latest charted epoch’s samples
in total variation, first with the gradient’s noise as measured on these chains, then with the bound that the
proof has for it in the ball; below it the distance that is measured. Point at a row to see what it stands on.</p>""",
    "Keys": """
<dl><dt><kbd>space</kbd></dt><dd>play or pause</dd><dt><kbd>S</kbd> &nbsp;<kbd>E</kbd></dt><dd>one step, one
epoch</dd>
<dt><kbd>R</kbd></dt><dd>restart</dd><dt><kbd>?</kbd></dt><dd>this help</dd>
<dt><kbd>tab</kbd> &nbsp;<kbd>← →</kbd></dt><dd>walk through the controls, move a slider</dd></dl>
<p style="margin-top:8px">The address of the page holds every knob. The link that Share copies also holds the epoch and
what you turned on the way: it opens paused, at the very picture you saw, and plays on from there.
<b>Keep as ghost</b>, under the charts, keeps a run’s curves and the outline of its cloud (two standard deviations) beside
what you try next.</p>""",
}


class HelpText(pn.custom.JSComponent):
    """The text with its table of contents, whose links scroll inside the dialog."""

    _esm = """
export function render({model}) {
  const root = document.createElement("div")
  root.innerHTML = model.html
  root.addEventListener("keydown", event => { if (event.key === " ") event.stopPropagation() }) // a fold, not the player
  for (const link of root.querySelectorAll("nav button")) {
    link.addEventListener("click", () => {
      const section = root.querySelector(`[data-section="${link.dataset.to}"]`)
      section.scrollIntoView({behavior: "smooth", block: "start"})
    })
  }
  return root
}
"""
    _stylesheets = [_STYLE]
    html = param.String()


def help_dialog() -> pmui.Dialog:
    """Return the closed dialog; set its `open` to show it."""
    sections = {**_SECTIONS, "Errata": errata_html()}
    links = "".join(f'<button data-to="{i}">{title}</button>' for i, title in enumerate(sections))
    body = "".join(f'<h3 data-section="{i}" tabindex="-1">{title}</h3>{text}'
                   for i, (title, text) in enumerate(sections.items()))
    text = HelpText(html=f'<nav aria-label="Sections">{links}</nav>{body}', sizing_mode="stretch_width")
    return pmui.Dialog(text, title="What you are looking at", open=False, close_on_click=True,
                       show_close_button=True, width_option="sm", scroll="paper", title_variant="h4",
                       sx={"& .MuiDialogTitle-root": {"padding": "14px 16px 8px"}})
