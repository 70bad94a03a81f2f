// The numbers of the epoch under the pointer, in the words and formats of Live's tooltips.

const NUMBER = /@(\w+)\{([^}]+)\}/g;
const THOUSANDS = ["", "k", "m", "b", "t"];

/** A number in one of the formats that Live's charts use: "0.000", "0,0", "0.00 a" (12.34 k). */
export function formatted(value, format) {
  if (!Number.isFinite(value)) return "…";
  if (format === "0,0") return thousands(value);
  const digits = (format.match(/\.(0+)/)?.[1] ?? "").length;
  if (!format.endsWith("a")) return value.toFixed(digits);
  const power = Math.abs(value) >= 1 ? Math.min(4, Math.floor(Math.log10(Math.abs(value)) / 3)) : 0;
  return `${(value / 1000 ** power).toFixed(digits)} ${THOUSANDS[power]}`.trim();
}

export function hoverWords(rows, series, i) {
  const say = (text) => text.replace(NUMBER, (_, name, format) => formatted(series[name][i], format));
  const all = [["epoch t", thousands(series.t[i])], ...rows.map(([label, text]) => [label, say(text)])];
  return `<table>${all.map(([label, text]) => `<tr><td>${escapeHtml(label)}</td><td>${escapeHtml(text)}</td></tr>`).join("")}</table>`;
}
