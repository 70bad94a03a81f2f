// The four charts under each other, or on a phone one at a time, as they stand at an epoch.

import { ChartPanel } from "./chart_panel.js";
import { ChartTables } from "./chart_tables.js";
import { hoverWords } from "./hover_words.js";
import { PHONE } from "./phone.js";

const TIGHT = 560; // pixels of height below which rooms between the charts shrink
const FRAMES_LEAST = 0.2; // of Live's heights

export class ChartStack {
  constructor(head, columns, told) {
    this.head = head;
    this.told = told; // takes .epoch(t) when an epoch is chosen in a chart
    this.charts = head.charts;
    this.tables = new ChartTables(head.charts, columns);
    this.panels = head.charts.panels.map((about) => new ChartPanel(about, head.charts.margins, told.font));
    this.box = element(`<section class="card charts" aria-label="Measurements against the epoch">
      <div class="chips only-phone" role="radiogroup" aria-label="Chart">${this.panels.map(({ about }, k) =>
        `<button role="radio" data-value="${k}">${escapeHtml(about.short)}</button>`).join("")}</div>
      <div class="stack"></div><div class="empty">The series start at epoch ${head.charts.margins.first}.</div>
      <div class="tip" hidden></div></section>`);
    this.box.querySelector(".stack").append(...this.panels.map((panel) => panel.box));
    this.select = segmented(this.box.querySelector(".chips"), (k) => this.choose(+k));
    this.choose(0);
    this.select(0);
    this.row = -2;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.box);
    PHONE.addEventListener("change", () => this.resize());
    this.listen();
  }

  /** On a phone: show this chart alone. */
  choose(k) {
    this.chosen = k;
    this.panels.forEach((panel, i) => panel.box.classList.toggle("chosen", i === k));
    this.resize();
  }

  /** Subtitles by name of a chart. */
  entitle(subtitles) {
    for (const panel of this.panels) if (subtitles[panel.about.name]) panel.entitle(subtitles[panel.about.name]);
  }

  /** What the text names: on a phone its first chart is shown. */
  name(places) {
    this.reveal(places.find((place) => this.panels.some((panel) => panel.about.name === place)));
  }

  /** [label, text, bad] of what was measured at the end of epoch t; none before the charts begin. */
  readings(t, { verdict }) {
    const row = this.tables.row(t);
    const accuracy = row < 0 ? NaN : this.tables.columns.accuracy[row];
    if (!Number.isFinite(accuracy)) return [];
    const meters = (verdict?.meters ?? []).filter(([label]) => label !== "width bias");
    return [["accuracy", accuracy.toFixed(2), false], ...meters.map(([label, text, , , bad]) => [label, text, bad])];
  }

  reveal(name) {
    const k = this.panels.findIndex((panel) => panel.about.name === name);
    if (k < 0) return null;
    this.select(k);
    this.choose(k);
    return this.panels[k].box;
  }

  resize() {
    const { margins, panels } = this.charts;
    const [width, height] = [this.box.clientWidth, this.box.clientHeight];
    if (!width || !height || !this.panels) return;
    const phone = PHONE.matches;
    const short = !phone && height < TIGHT;
    const frames = panels.reduce((sum, panel) => sum + panel.height, 0);
    const above = (panel) => (short ? Math.min(panel.above, 21) : panel.above);
    const headroom = (panel) => (short ? Math.min(panel.headroom, 20) : panel.headroom);
    const gap = short ? 3 : margins.gap;
    const axis = short ? 30 : margins.axis;
    const rooms = panels.reduce((sum, panel) => sum + above(panel) + headroom(panel), 0) + 3 * gap + axis;
    const scale = Math.min(Math.max((height - 8 - rooms) / frames, FRAMES_LEAST), 2);
    panels.forEach((panel, k) => {
      const lowest = phone || k === panels.length - 1;
      const below = lowest ? (phone ? 34 : axis) : gap;
      const alone = height - 50 - panel.above - panel.headroom - below;
      const frame = phone ? Math.max(60, alone) : Math.round(panel.height * scale);
      this.panels[k].axisLabel = short || phone ? "" : this.charts.axis.label;
      this.panels[k].resize({
        width, frame, above: above(panel), headroom: headroom(panel), below, axis: lowest,
        left: phone || short ? margins.compactLeft : margins.left, right: phone || short ? margins.compactRight : margins.right,
      });
    });
    this.row = -2;
    if (this.palette) this.show(this.t, this.palette); // at once: a resized canvas is blank
  }

  /** Show what stood at the end of epoch t. */
  show(t, palette) {
    const row = this.tables.row(t);
    if (row === this.row && palette === this.palette) return;
    Object.assign(this, { row, palette, t });
    this.box.classList.toggle("nothing", row < 0);
    this.box.dataset.t = t;
    if (row < 0) {
      for (const { g, canvas } of this.panels) {
        g.setTransform(1, 0, 0, 1, 0, 0);
        g.clearRect(0, 0, canvas.width, canvas.height);
      }
      return;
    }
    const state = this.tables.states[row];
    const rows = this.tables.visible(row);
    const series = this.tables.series(rows);
    const checkpoints = Array.from({ length: 14 }, (_, k) => 8 * 2 ** k).filter((epoch) => epoch <= t);
    Object.assign(this, { state, rows, series });
    for (const panel of this.panels) {
      if (PHONE.matches && !panel.box.classList.contains("chosen")) continue;
      Object.assign(panel, { now: t, checkpoints, eventTexts: this.tables.texts(state, panel.plotWidth) });
      const exits = this.tables.exits(rows, state.start, state.end, panel.plotWidth, state.distance.high);
      const tables = {
        series, exits, lines: { t: state.lines },
        bands: { t: state.bands.map(([from]) => from), t_end: state.bands.map(([, to]) => to) },
      };
      panel.draw(state, tables, palette);
    }
  }

  // the pointer ---------------------------------------------------------------------------------------------

  listen() {
    const tip = this.box.querySelector(".tip");
    for (const panel of this.panels) {
      panel.canvas.addEventListener("pointermove", (event) => this.point(panel, event, tip));
      panel.canvas.addEventListener("pointerleave", () => (tip.hidden = true));
      panel.canvas.addEventListener("click", (event) => {
        const at = this.rowAt(panel, event);
        if (at >= 0) this.told.epoch(this.series.t[at]);
      });
    }
  }

  /** Place among the shown rows of the one nearest to the pointer; -1 when it is outside the frame. */
  rowAt(panel, event) {
    if (this.row < 0) return -1;
    const x = event.clientX - panel.canvas.getBoundingClientRect().left;
    if (x < panel.left - 4 || x > panel.left + panel.plotWidth + 4) return -1;
    const scale = panel.scales(this.state).x;
    let best = 0;
    this.series.t.forEach((t, i) => {
      if (Math.abs(scale(t) - x) < Math.abs(scale(this.series.t[best]) - x)) best = i;
    });
    return best;
  }

  point(panel, event, tip) {
    const at = event.pointerType === "touch" ? -1 : this.rowAt(panel, event);
    tip.hidden = at < 0;
    if (at < 0) return;
    put(tip, hoverWords(panel.about.hover, this.series, at));
    const [card, box] = [this.box.getBoundingClientRect(), panel.canvas.getBoundingClientRect()];
    const x = box.left - card.left + panel.scales(this.state).x(this.series.t[at]);
    const left = x + 14 + tip.offsetWidth < card.width ? x + 14 : x - 14 - tip.offsetWidth;
    tip.style.left = `${left}px`;
    tip.style.top = `${Math.min(box.top - card.top + panel.above, card.height - tip.offsetHeight - 6)}px`;
  }
}
