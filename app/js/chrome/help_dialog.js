import {element, icon, setTabStop} from "../common/dom.js"
import {STILL} from "../common/media.js"

function scrolledByKeys(place) { // make formulas wider than the window stops of the Tab key, so that arrow keys scroll them
  const look = new ResizeObserver(() => {
    for (const node of place.querySelectorAll(".formula, .f")) setTabStop(node, node.scrollWidth > node.clientWidth + 1, "Formula, scrolls sideways")
  })
  for (const part of [place, ...place.children]) look.observe(part) // a part grows when its formulas are typeset, possibly late
}

async function listTerms(place) { // show the glossary and a search box; matches in names precede matches in definitions
  place.innerHTML = `<input type="search" class="find" placeholder="Find a term" aria-label="Find a term"><p class="found" role="status"></p><div class="entries"></div>`
  const terms = await window.labGlossary?.get("terms") ?? {}
  const names = Object.keys(terms).sort((a, b) => a.localeCompare(b))
  const box = place.querySelector(".find"), count = place.querySelector(".found")
  const entries = names.map(name => [element(`<div class="entry">${terms[name][0]}</div>`), terms[name][1].toLowerCase()])
  place.querySelector(".entries").append(...entries.map(([entry]) => entry))
  const search = () => {
    const query = box.value.trim().toLowerCase()
    const named = entries.filter(([, words]) => words.includes(query))
    const shown = named.length ? named : entries.filter(([entry]) => entry.textContent.toLowerCase().includes(query))
    for (const [entry] of entries) entry.hidden = !shown.some(([one]) => one === entry)
    count.textContent = query === "" ? `${names.length} terms` : shown.length ? `${shown.length} found` : `No term contains “${box.value.trim()}”.`
  }
  box.addEventListener("input", search); search()
}

const TITLE = "What you are looking at"

export const HelpDialog = {css: /* css */ `
:host{font:400 .84375rem/1.5 Roboto,Arial,sans-serif;color:var(--lab-ink)}
nav{display:flex;gap:0 14px;flex-wrap:wrap;margin:0 0 10px}
nav button{font:inherit;color:var(--lab-primary);background:none;border:0;padding:0;cursor:pointer;
min-height:24px;min-width:24px}
nav button:hover{text-decoration:underline}
h3{font-size:.875rem;margin:16px 0 4px;scroll-margin-top:8px} p{margin:0 0 8px}
dl{display:grid;grid-template-columns:auto 1fr;gap:3px 14px;margin:0} dt{white-space:nowrap;font-weight:700}
dd{margin:0}
kbd{font:inherit;font-size:.75rem;border:1px solid
var(--lab-line);border-bottom-width:2px;border-radius:4px;padding:0 6px;background:var(--lab-chip)}
.f{font-size:.90625rem;margin:4px 0 8px;padding:8px
12px;background:var(--lab-chip);border-radius:6px;overflow:auto;white-space:nowrap}
sub,sup{font-size:.72em;line-height:0} i.k{font-style:normal;font-weight:700}
.esc{color:var(--lab-esctx)} .acc{color:var(--lab-acctx)} .chain{color:var(--lab-chain)}
.sgld{color:var(--lab-sgldtx)}
h4{font-size:.8125rem;margin:12px 0 2px;font-weight:400;color:var(--lab-ink2)}
.signs{border-collapse:collapse;width:100%;font-size:.78125rem;line-height:1.4}
.signs th,.signs td{text-align:left;vertical-align:top;font-weight:400;padding:5px 10px 5px 0;border-bottom:1px solid var(--lab-line);overflow-wrap:anywhere}
.signs th[scope=col]{color:var(--lab-ink2)}.signs td:nth-child(2){width:34%}.signs th[scope=row]{width:33%}
details{border-top:1px solid var(--lab-line)}
summary{cursor:pointer;padding:5px 2px;border-radius:4px}
summary:focus-visible{outline:2px solid var(--lab-primary)}
summary span{color:var(--lab-ink2);float:right;margin-left:12px}
summary::after{content:"";display:block;clear:both}
details dl{padding:2px 2px 10px 14px}
.release{margin:18px 0 0;padding-top:8px;border-top:1px solid var(--lab-line);
color:var(--lab-ink2);font-size:.75rem}
.find{font:inherit;color:inherit;width:100%;
padding:6px 10px;border:1px solid var(--lab-line);border-radius:6px;background:var(--lab-card)}
.find:focus-visible{outline:2px solid var(--lab-primary)}
.found{margin:4px 0;color:var(--lab-ink2);font-size:.75rem}
.entry{border-top:1px solid var(--lab-line);padding:8px 2px 7px}
.entry h4{margin:0 0 2px;font-weight:700;
color:var(--lab-ink);display:flex;gap:14px;justify-content:space-between}
.entry p{margin:0}.entry .formula{margin:7px 0 5px;overflow:auto hidden}
.entry .soft{color:var(--lab-ink2);font-size:.75rem;margin-top:3px}
@media (max-width: 37.5em){details dl{grid-template-columns:1fr} summary span{float:none;display:block;margin-left:14px}}
dialog{width:min(600px,calc(100vw - 32px));max-height:calc(100dvh - 64px);padding:0;border:1px solid var(--lab-line);border-radius:10px;background:var(--lab-card);color:inherit;box-shadow:var(--lab-shadow);overflow:hidden}
dialog[open]{display:flex;flex-direction:column}
dialog::backdrop{background:rgba(10,16,24,.45)}
.top{display:flex;align-items:center;justify-content:space-between;padding:10px 10px 6px 16px}
h2{font-size:1.125rem;font-weight:700}
.text{overflow:auto;padding:0 16px 16px;overscroll-behavior:contain}
`, render({model}) {
  const root = element(`<dialog aria-label="${TITLE}"><div class="top"><h2>${TITLE}</h2>
    <button class="round close" aria-label="Close">${icon("close")}</button></div><div class="text"></div></dialog>`)
  const text = root.querySelector(".text")
  text.innerHTML = model.html
  for (const link of text.querySelectorAll("nav button")) {
    link.addEventListener("click", () => {
      const section = text.querySelector(`[data-section="${link.dataset.to}"]`)
      section.scrollIntoView({behavior: STILL.matches ? "instant" : "smooth", block: "start"})
      section.focus({preventScroll: true}) // the next Tab continues from there
    })
  }
  listTerms(text.querySelector(".glossary"))
  scrolledByKeys(text)
  const show = () => {
    if (model.open && !root.open) { root.append(text); root.showModal(); text.scrollTop = place }
    else if (!model.open && root.open) root.close()
  }
  text.addEventListener("keydown", event => { // keys for folds and the search, not for the player
    if (event.key === " " || event.composedPath()[0].matches?.("input") && event.key !== "Escape") event.stopPropagation()
  })
  // The closed text is removed from the page: its 15,000 elements would take three quarters of the style updates of Live's frames.
  let place = 0 // scroll position
  text.addEventListener("scroll", () => { if (root.open) place = text.scrollTop }, {passive: true})
  root.addEventListener("close", () => { text.remove(); if (model.open) model.send_msg({type: "close"}) })
  root.addEventListener("click", event => { if (event.target === root) root.close() }) // on the backdrop
  root.querySelector(".close").addEventListener("click", () => root.close())
  model.on("open", show)
  return root
}}
