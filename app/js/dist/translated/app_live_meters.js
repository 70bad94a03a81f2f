// Translated from app/live/meters.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export class Meter {
  constructor({key = py.missing("Meter.key"), label = py.missing("Meter.label"), text = py.missing("Meter.text"), fill = py.missing("Meter.fill"), tick = py.missing("Meter.tick"), bad = py.missing("Meter.bad")} = {}) {
    Object.assign(this, {key, label, text, fill, tick, bad});
  }
}

export function meters(measured) {
  let noise, memory, limits, resets, allowed;
  [noise, memory, limits] = [measured.noise_share, measured.memory, measured.limits];
  resets = ((measured.resets_window === 0) || (measured.t === 0)) ? null : measured.reset_rate;
  allowed = py.truthy(measured.own_checkpoint) ? limits["resets"] : py.max([limits["resets"], py.or(resets, () => 0.0)]);
  return [_meter("width", "width bias", measured.width_bias, limits["width"], 0.25, _percent), _meter("noise", "gradient noise", noise, limits["noise"], 0.5, _share), _meter("memory", "memory", (memory == null) ? null : py.max([memory, 0.0]), limits["memory"], 0.5, _percent), _meter("resets", "epochs reset", resets, allowed, 0.5, (n) => `${py.format(100 * n, ".2g")} %`)];
}

export function _meter(key, label, value, limit, tick, text) {
  let fill;
  if (value == null) {
    return new Meter({key: key, label: label, text: "…", fill: 0.0, tick: tick, bad: false});
  }
  fill = py.min([1.0, py.max([0.0, (value / limit) * tick])]);
  return new Meter({key: key, label: label, text: text(value), fill: fill, tick: tick, bad: value > limit});
}

export function _percent(value) {
  if (value >= 10) {
    return (value < 9999) ? `${py.format(1 + value, ",.0f")} ×` : "> 10⁴ ×";
  }
  return `${py.format(100 * value, ".0f")} %`.replaceAll("-0 %", "0 %");
}

export function _share(value) {
  return (value >= 2) ? `${py.format(value, ",.1f")} ×` : _percent(value);
}
