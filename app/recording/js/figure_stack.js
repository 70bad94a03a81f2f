// The figures of the Exit time page that the present step of the lesson names, under each other; on a phone one at a time.

import { LineFigure } from "./line_figure.js";
import { PHONE } from "./phone.js";
import { priceTable } from "./price_table.js";

const LEAST = 2; // figures on show where there is room
const HEADING = 26; // pixels over a figure

export class FigureStack {
  constructor(head, columns, told) {
    Object.assign(this, { head, columns, told, named: [] });
    this.figures = head.figures.map((about) => (about.rows ? priceTable(about) : new LineFigure(about, columns, head.looks, told.font)));
    this.box = element(`<section class="card charts figures" aria-label="Figures of the epoch">
      <div class="chips only-phone" role="radiogroup" aria-label="Figure">${this.figures.map(({ about }, k) =>
        `<button role="radio" data-value="${k}">${escapeHtml(about.short)}</button>`).join("")}</div>
      <div class="stack"></div><div class="tip" hidden></div></section>`);
    this.stack = this.box.querySelector(".stack");
    this.stack.append(...this.figures.map((figure) => figure.box));
    this.select = segmented(this.box.querySelector(".chips"), (k) => this.choose(+k));
    this.name([]);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.box);
    document.fonts.ready.then(() => this.resize()); // words have another width in their own font
    PHONE.addEventListener("change", () => this.resize());
    for (const figure of this.figures) if (figure.canvas) this.listen(figure);
  }

  /** On a phone: show this figure alone. */
  choose(k) {
    this.select(k);
    this.figures.forEach((figure, i) => figure.box.classList.toggle("chosen", i === k));
    this.resize();
  }

  /** What the text names is on show, and what the chains do where that is little. */
  name(places) {
    const known = this.figures.map(({ about }) => about.name);
    const wanted = [...new Set(places)].filter((place) => known.includes(place));
    this.named = [...new Set([...wanted, ...known])].slice(0, Math.max(LEAST, wanted.length));
    if (wanted.includes("price")) this.named = ["price"];
    for (const { about, box } of this.figures) {
      box.classList.toggle("named", this.named.includes(about.name));
      box.style.order = this.named.indexOf(about.name);
    }
    this.choose(Math.max(0, known.indexOf(wanted[0])));
  }

  entitle() {}

  /** [label, text, bad] of the chains at step t. */
  readings(t) {
    const { inside } = this.columns;
    const k = this.told.frameAt(t);
    return [["still inside", inside[k].toFixed(3), false]];
  }

  reveal(name) {
    const k = this.figures.findIndex(({ about }) => about.name === name);
    if (k < 0) return null;
    this.choose(k);
    return this.figures[k].box;
  }

  get shown() {
    return this.figures.filter(({ box }) => (PHONE.matches ? box.classList.contains("chosen") : box.classList.contains("named")));
  }

  resize() {
    const [width, height] = [this.box.clientWidth, this.box.clientHeight];
    if (!width || !height || !this.figures) return;
    const { shown } = this;
    const each = PHONE.matches ? height - 52 : Math.floor((height - 8) / shown.length) - HEADING;
    for (const figure of shown) {
      figure.resize(width, Math.max(70, each));
      if (this.palette) figure.draw(this.step, this.palette); // at once: a resized canvas is blank
    }
  }

  /** Show what stood at step t. */
  show(t, palette) {
    if (t === this.step && palette === this.palette) return;
    Object.assign(this, { step: t, palette });
    this.box.dataset.t = t;
    for (const figure of this.shown) figure.draw(t, palette);
  }

  // the pointer ---------------------------------------------------------------------------------------------

  listen(figure) {
    const tip = this.box.querySelector(".tip");
    const at = (event) => figure.told(event.clientX - figure.canvas.getBoundingClientRect().left, this.step ?? 0);
    figure.canvas.addEventListener("pointermove", (event) => {
      const found = event.pointerType === "touch" ? null : at(event);
      tip.hidden = !found?.rows.length;
      if (tip.hidden) return;
      put(tip, `<table>${found.rows.map(([name, value]) => `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(value)}</td></tr>`).join("")}</table>`);
      const [card, box] = [this.box.getBoundingClientRect(), figure.canvas.getBoundingClientRect()];
      const x = event.clientX - card.left;
      tip.style.left = `${x + 14 + tip.offsetWidth < card.width ? x + 14 : x - 14 - tip.offsetWidth}px`;
      tip.style.top = `${Math.min(box.top - card.top + 10, card.height - tip.offsetHeight - 6)}px`;
    });
    figure.canvas.addEventListener("pointerleave", () => (tip.hidden = true));
    figure.canvas.addEventListener("click", (event) => {
      const found = at(event);
      if (found && figure.about.lines.some((line) => line.grows)) this.told.epoch(found.there);
    });
  }
}
