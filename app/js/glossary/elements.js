// Elements `lab-term`, a term with its definition, and `lab-math`, a formula. They work in any shadow root and show plain text until
// the page has sent their resources (`connectGlossary`), which are requested when first displayed.
import {element, put} from "../common/dom.js"
import {sheetOf} from "../common/styles.js"

const HOVER = 250, LEAVE = 250 // ms before a definition opens at a resting pointer, and closes after it has left
const TIP_GAP = 6, TIP_EDGE = 8, TIP_ASIDE = 22 // pixels between term and definition, to the window's edge, and next to a control

const TERM_STYLE = `
:host{display:inline;position:static}
.term{text-decoration:underline dotted;text-decoration-thickness:1px;text-underline-offset:2.5px;text-decoration-color:var(--lab-ink3);cursor:help;border-radius:3px}
.term:hover,.open .term{text-decoration-color:currentColor}
.term:focus{outline:none}.term:focus-visible{outline:2px solid var(--lab-primary);outline-offset:1px}
.tip{box-sizing:border-box;position:fixed;inset:auto;margin:0;width:max-content;max-width:min(380px,calc(100vw - 16px));max-height:min(420px,calc(100vh - 16px));overflow:auto;padding:10px 14px 11px;border:1px solid var(--lab-line);border-radius:8px;background:var(--lab-card);color:var(--lab-ink);box-shadow:var(--lab-shadow);font:400 .8125rem/1.45 Roboto,Arial,sans-serif;letter-spacing:0;text-transform:none;text-align:left;white-space:normal;text-decoration:none;cursor:auto;user-select:text}
.tip h4{margin:0 0 3px;font-size:.8125rem;font-weight:700;display:flex;gap:12px;justify-content:space-between;align-items:baseline}
.tip h4 lab-math{font-weight:400}
.tip p{margin:0}.tip p+p{margin-top:5px}
.tip .formula{margin:7px 0 5px;overflow:auto hidden;scrollbar-width:thin}
.tip .soft{color:var(--lab-ink2);font-size:.71875rem}
.tip .note{border-top:1px solid var(--lab-line);padding-top:6px;margin-top:7px}
.tip sub,.tip sup{font-size:.72em;line-height:0}`
const MATH_STYLE = ":host{display:inline}:host([display]){display:block}.katex{font-size:1.06em;line-height:1.2;text-indent:0}.katex-display{margin:0;text-align:left}.katex-display>.katex{text-align:left}"

const glossarySource = (() => { // one per document
  if (!window.labGlossary) {
    const source = {request: null, wanted: new Set(), promises: {}, resolve: {}}
    source.get = what => {
      if (!source.promises[what]) {
        source.promises[what] = new Promise(done => { source.resolve[what] = done })
        source.wanted.add(what)
        source.request?.(what)
      }
      return source.promises[what]
    }
    source.receive = (what, content) => { source.get(what); source.wanted.delete(what); source.resolve[what](content) }
    window.labGlossary = source
  }
  return window.labGlossary
})()

export function connectGlossary(request) { // request("terms") or request("katex") leads to a call of receiveGlossary
  glossarySource.request = request
  for (const what of glossarySource.wanted) request(what)
}
export function receiveGlossary(what, content) { glossarySource.receive(what, content) }

let katexReady = null
function loadKatex() { // promise of {katex, sheet}; its fonts are added to the document
  katexReady ??= glossarySource.get("katex").then(async ({script, style, fonts}) => {
    const source = `const module = {exports: {}}, exports = module.exports, define = undefined;\n${script}\nexport default module.exports`
    const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}))
    const {default: katex} = await import(address)
    URL.revokeObjectURL(address)
    for (const [family, bytes, slant] of fonts) document.fonts.add(new FontFace(family, bytes, {style: slant}))
    return {katex, sheet: sheetOf(style)}
  })
  return katexReady
}

class LabMath extends HTMLElement {
  static observedAttributes = ["tex"]
  connectedCallback() { this.set() }
  attributeChangedCallback() { if (this.isConnected) this.set() }
  async set() {
    const tex = this.getAttribute("tex")
    const root = this.shadowRoot ?? this.attachShadow({mode: "open"})
    if (!root.firstChild) root.innerHTML = "<slot></slot>"
    if (this.done === tex) return
    const fold = this.closest("details:not([open])")
    if (fold) { fold.addEventListener("toggle", () => this.set(), {once: true}); return } // typeset when visible
    const {katex, sheet} = await loadKatex()
    if (tex !== this.getAttribute("tex")) return // changed meanwhile
    root.adoptedStyleSheets = [sheet, sheetOf(MATH_STYLE)]
    const place = document.createElement("span")
    try { katex.render(tex, place, {displayMode: this.hasAttribute("display"), throwOnError: true, strict: "ignore"}) } catch (error) {
      console.warn(`${tex}: ${error.message}`)
      place.textContent = tex
    }
    for (const node of place.querySelectorAll("msub:has(> :nth-child(3))")) { // fix KaTeX's MathML of x_{\max}: an index must be one element
      const index = document.createElementNS(node.namespaceURI, "mrow")
      index.append(...[...node.children].slice(1))
      node.append(index)
    }
    this.done = tex
    root.replaceChildren(place)
  }
}

let openTerm = null // at most one definition is open
let rewritten = null // term whose text was rewritten while its definition was open

class LabTerm extends HTMLElement {
  static observedAttributes = ["note"]
  connectedCallback() {
    if (!this.shadowRoot) this.build()
    const was = rewritten
    if (was && was.words === this.wordsOf() && was.root === this.getRootNode() && performance.now() - was.at < 200) {
      rewritten = null
      if (was.focused) this.word.focus()
      this.open()
    }
  }
  disconnectedCallback() {
    if (openTerm !== this) return
    const now = performance.now()
    rewritten = {words: this.wordsOf(), root: this.home, focused: this.focused || now - this.left < 50, at: now}
    this.close()
  }
  wordsOf() { return `${this.getAttribute("key")}: ${this.textContent}` }
  attributeChangedCallback() { if (openTerm === this) this.fill() }

  build() {
    const root = this.attachShadow({mode: "open"})
    root.adoptedStyleSheets = [sheetOf(TERM_STYLE)]
    root.innerHTML = `<span class="root"><span class="term" role="term" tabindex="0" aria-describedby="tip"><slot></slot></span></span>`
    this.word = root.querySelector(".term")
    this.timer = 0; this.focused = false; this.tapped = 0
    this.left = -Infinity // time of the last loss of focus, which also precedes a removal from the page
    this.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") this.soon(() => this.open(), HOVER) })
    this.addEventListener("pointerleave", event => { if (event.pointerType === "mouse" && !this.focused) this.soon(() => this.close(), LEAVE) })
    this.word.addEventListener("focus", () => { this.focused = true; if (this.word.matches(":focus-visible")) this.open() })
    this.word.addEventListener("blur", () => {
      this.focused = false; this.left = performance.now()
      setTimeout(() => { if (this.isConnected && !this.focused) this.close() })
    })
    let pointer = ""
    this.word.addEventListener("pointerdown", event => { pointer = event.pointerType })
    this.word.addEventListener("click", event => {
      if (pointer === "mouse" && this.closest("label")) return // the definition is already open at the pointer: the click is for the labelled control
      event.preventDefault(); event.stopPropagation()
      if (openTerm === this && this.tapped) this.close()
      else { this.open(); this.tapped = 1 }
    })
    this.word.addEventListener("keydown", event => {
      if (event.key !== "Enter" && event.key !== " ") return
      event.preventDefault(); event.stopPropagation()
      openTerm === this ? this.close() : this.open()
    })
  }
  soon(act, after) { clearTimeout(this.timer); this.timer = setTimeout(act, after) }

  async open() {
    clearTimeout(this.timer)
    if (openTerm === this) return
    openTerm?.close()
    openTerm = this; this.tapped = 0; this.home = this.getRootNode()
    if (!this.tip) {
      this.tip = element(`<div id="tip" class="tip" role="tooltip" popover="manual"></div>`)
      this.shadowRoot.append(this.tip)
      this.fit = new ResizeObserver(() => this.place()) // it grows when its formulas are typeset
    }
    await this.fill()
    if (openTerm !== this || !this.isConnected) return
    this.tip.showPopover()
    this.shadowRoot.querySelector(".root").classList.add("open")
    this.fit.observe(this.tip)
    this.place()
  }
  async fill() {
    const terms = await glossarySource.get("terms"), note = this.getAttribute("note")
    put(this.tip, (terms[this.getAttribute("key")]?.[0] ?? "") + (note ? `<p class="note">${note}</p>` : ""))
    this.tip.querySelector("h4")?.setAttribute("role", "presentation") // not a heading of the page
    for (const formula of this.tip.querySelectorAll(".formula")) formula.tabIndex = -1 // browsers make scrolling elements stops of the Tab key
  }
  place() { // below the term, above it without room below, or next to the control that it labels
    const word = this.getBoundingClientRect(), {offsetWidth: width, offsetHeight: height} = this.tip
    const control = this.closest("[data-aside]")?.getBoundingClientRect()
    if (control && control.right + TIP_ASIDE + width <= innerWidth - TIP_EDGE) {
      const top = Math.max(TIP_EDGE, Math.min(word.top - 10, innerHeight - TIP_EDGE - height))
      Object.assign(this.tip.style, {left: `${control.right + TIP_ASIDE}px`, top: `${top}px`})
      return
    }
    const below = word.bottom + TIP_GAP, above = word.top - TIP_GAP - height
    const top = below + height <= innerHeight - TIP_EDGE || above < TIP_EDGE ? Math.min(below, innerHeight - TIP_EDGE - height) : above
    const left = Math.max(TIP_EDGE, Math.min(word.left, innerWidth - TIP_EDGE - width))
    Object.assign(this.tip.style, {left: `${left}px`, top: `${Math.max(TIP_EDGE, top)}px`})
  }
  close() {
    clearTimeout(this.timer)
    this.tapped = 0
    if (openTerm === this) openTerm = null
    this.fit?.disconnect()
    this.shadowRoot.querySelector(".root").classList.remove("open")
    if (this.tip?.isConnected && this.tip.matches(":popover-open")) this.tip.hidePopover()
  }
}

if (!customElements.get("lab-term")) {
  customElements.define("lab-math", LabMath)
  customElements.define("lab-term", LabTerm)
  addEventListener("keydown", event => { // Esc closes only the definition
    if (event.key !== "Escape" || !openTerm) return
    openTerm.close()
    event.stopPropagation(); event.preventDefault()
  }, true)
  addEventListener("pointerdown", event => { if (openTerm && !event.composedPath().includes(openTerm)) openTerm.close() }, true)
  addEventListener("scroll", event => { if (openTerm && !event.composedPath().includes(openTerm.tip)) openTerm.place() }, true)
}
