// Translated from app/number_words.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const _RAISED = {"-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹"};

export function power_of_ten(exponent) {
  return "10" + py.iter(py.iter(py.str(exponent)).map((digit) => _RAISED[digit])).join("");
}

export function scientific(value) {
  let mantissa, exponent;
  if ((value === 0) || !Number.isFinite(value)) {
    return (value === 0) ? "0" : "…";
  }
  if ((0.01 <= py.abs(value)) && (py.abs(value) < 1000)) {
    return `${py.format(value, ".3g")}`;
  }
  [mantissa, exponent] = `${py.format(value, ".1e")}`.split("e");
  return `${py.str(mantissa)} × ${py.str(power_of_ten(py.int(exponent)))}`;
}

export function short(value) {
  if ((value == null) || !Number.isFinite(value)) {
    return "…";
  }
  if (value === 0) {
    return "0";
  }
  if ((1000 <= py.abs(value)) && (py.abs(value) < 100000)) {
    return `${py.format(value, ",.0f")}`;
  }
  return ((0.0001 <= py.abs(value)) && (py.abs(value) < 1000)) ? `${py.format(value, ".3g")}` : scientific(value);
}

export function share(value) {
  let gone;
  if (!Number.isFinite(value)) {
    return "…";
  }
  gone = 1.0 - value;
  if (gone <= 0.0) {
    return "1";
  }
  if (gone < 0.0005) {
    return `1 − ${py.str(scientific(gone))}`;
  }
  return (value <= 0.0) ? "0" : ((value < 0.0005) ? scientific(value) : `${py.format(value, ".3f")}`);
}

export function percent(value) {
  return `${py.format(100 * value, `${py.str(((value >= 0.01) || !py.truthy(value)) ? ".0f" : ".2g")}`)} %`;
}
