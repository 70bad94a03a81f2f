// What the four charts show at an epoch: the rows of app/recording/chart_columns.py, and what only Python decided.

import { lastUpTo, wordsOf } from "./unpack.js";

const EXIT_GAP = 7; // pixels: of exits nearer than that the largest is ringed
const HIGHEST = 0.975; // of the axis, where an exit above it stands

export class ChartTables {
  constructor(charts, columns) {
    this.charts = charts;
    this.columns = columns;
    this.states = [];
    let state = {};
    for (const change of wordsOf(columns.chart_states)) this.states.push((state = { ...state, ...change }));
  }

  /** Number of the row that stands at the end of epoch t; -1 before the charts begin. */
  row(t) {
    return lastUpTo(this.columns.chart_t, t);
  }

  /** Row numbers that show at row r: every charted one before it, and r itself. */
  visible(r) {
    const rows = [];
    for (let i = 0; i <= r; i++) if (i === r || this.columns.charted[i]) rows.push(i);
    return rows;
  }

  /** Column -> values of those rows. */
  series(rows) {
    const found = { t: rows.map((i) => this.columns.chart_t[i]) };
    for (const name of this.charts.columns) found[name] = rows.map((i) => this.columns[name][i]);
    return found;
  }

  /** Epoch and height of the exits to ring, `width` pixels of axis from epoch `start` to `end`. */
  exits(rows, start, end, width, top) {
    const best = new Map();
    for (const i of rows) {
      const [t, value] = [this.columns.peak_t[i], this.columns.farthest[i]];
      if (!(t >= start)) continue;
      const key = Math.floor(((Math.log(t / start) / Math.log(end / start)) * width) / EXIT_GAP);
      if (!best.has(key) || value > best.get(key)[1]) best.set(key, [t, value]);
    }
    const found = [...best.values()];
    return { t: found.map(([t]) => t), value: found.map(([, value]) => Math.min(value, top * HIGHEST)) };
  }

  /** Texts of the events, placed for the widest axis that this one has room for: [share of the axis, text, token]. */
  texts(state, width) {
    const widths = this.charts.widths;
    return state.texts[Math.max(0, lastUpTo(widths, width))] ?? [];
  }
}
