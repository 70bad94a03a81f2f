// Translated from app/state/parameters/knob_values.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {endless, read_number, shown, url_text, written} from "../../lab/numbers.js"

export class LinkReader {
  constructor(query) {
    this.texts = Object.fromEntries(py.items(py.dict(py.or(query, () => ({})))).map(([key, value]) => [py.str(key), url_text(value)]));
    this.words = [];
  }
  has(...keys) {
    return py.any(py.iter(keys).map((key) => (py.contains(this.texts, key))));
  }
  text(key) {
    return py.get(this.texts, key);
  }
  choice(key, options, default_) {
    let text, named, taken;
    text = py.get(this.texts, key);
    if ((text == null) || py.contains(options, text)) {
      return (text == null) ? default_ : text;
    }
    [named, taken] = [py.iter(py.iter(options).filter((one) => py.truthy(one))).join(", "), py.truthy(default_) ? `took ${py.str(default_)}` : "left it open"];
    this.words.push(`${py.str(key)} = ${py.str(shown(text))} is not one of ${py.str(named)}; ${py.str(taken)}.`);
    return default_;
  }
}

export const _TRUE = ["1", "on", "true", "yes"];

export const _FALSE = ["0", "off", "false", "no"];

export function knob_text(value, whole = false) {
  return py.truthy(whole) ? `${py.format(value, ",")}` : `${py.format(value, "g")}`;
}

export class KnobRules {
  get range_words() {
    let from_zero;
    from_zero = py.truthy(this.least) ? `${py.format(this.low, ",g")} or from ${py.format(this.least, ",g")}` : `from ${py.format(this.low, ",g")}`;
    return `${py.str(py.truthy(this.whole) ? "a whole number " : "")}${py.str(from_zero)} to ${py.format(this.high, ",g")}`;
  }
  clamped(value) {
    value = py.eq(value, value) ? py.min([py.max([value, this.low]), this.high]) : this.low;
    value = (value < this.least) ? this.low : value;
    return py.truthy(this.whole) ? py.int(py.round(value)) : py.float(value);
  }
  format_value(value) {
    if (py.truthy(this.lowest) && py.eq(value, this.low)) {
      return this.lowest;
    }
    return knob_text(value, this.whole);
  }
  read(entered, present) {
    let kept, named, value;
    kept = `Kept ${py.str(this.format_value(present))}.`;
    named = py.isinstance(entered, "str") && ((py.eq(entered.trim().toLowerCase(), this.lowest.toLowerCase())) && (this.lowest.toLowerCase() !== ""));
    value = py.truthy(named) ? this.low : read_number(entered);
    if (value == null) {
      throw new py.PythonError("ValueError", `“${py.str(py.str(entered).slice(0, 20))}” is not a number. ${py.str(kept)}`);
    }
    if ((!((this.low <= value) && (value <= this.high))) || ((this.low < value) && (value < this.least)) || (py.truthy(this.whole) && (!py.eq(value, py.round(value))))) {
      throw new py.PythonError("ValueError", `${py.str(this.plain)} must be ${py.str(this.range_words)}. ${py.str(kept)}`);
    }
    return py.truthy(this.whole) ? py.int(value) : py.float(value);
  }
  write(value) {
    return written(value);
  }
  from_link(link, default_) {
    let text, value, clamped;
    text = link.text(this.key);
    if (text == null) {
      return default_;
    }
    value = py.or(endless(text), () => read_number(text));
    if (value == null) {
      link.words.push(`${py.str(this.plain)} = ${py.str(shown(text))} is not a number; took ${py.format(default_, "g")}.`);
      return default_;
    }
    clamped = this.clamped(value);
    if (!py.eq(clamped, value)) {
      link.words.push(`${py.str(this.plain)} = ${py.str(shown(text))} must be ${py.str(this.range_words)}; took ${py.format(clamped, ",g")}.`);
    }
    return clamped;
  }
}

export class NumberRange extends KnobRules {
  constructor({key = py.missing("NumberRange.key"), plain = py.missing("NumberRange.plain"), low = py.missing("NumberRange.low"), high = py.missing("NumberRange.high"), whole = false, least = 0.0, lowest = ""} = {}) {
    super();
    Object.assign(this, {key, plain, low, high, whole, least, lowest});
  }
}

export class SwitchRules {
  write(value) {
    return py.truthy(value) ? "1" : "0";
  }
  from_link(link, default_) {
    let text;
    text = link.text(this.key);
    if ((text == null) || (py.contains([...py.iter(_TRUE), ...py.iter(_FALSE)], text.toLowerCase()))) {
      return (text == null) ? default_ : (py.contains(_TRUE, text.toLowerCase()));
    }
    link.words.push(`${py.str(this.label.toLowerCase())} = ${py.str(shown(text))} is neither 1 nor 0; took ${py.str(py.int(default_))}.`);
    return default_;
  }
}

export class ChoiceRules {
  _names() {
    return py.truthy(this.tokens) ? [...py.iter(this.tokens)] : py.iter(this.objects).map((one) => py.str(one));
  }
  write(value) {
    return this._names()[[...py.iter(this.objects)].indexOf(value)];
  }
  from_link(link, default_) {
    let names;
    names = this._names();
    return [...py.iter(this.objects)][names.indexOf(link.choice(this.key, names, this.write(default_)))];
  }
}

export class FollowedRules {
  write(value) {
    return (value == null) ? "none" : py.str(value);
  }
  from_link(link, default_, chains) {
    let text;
    text = link.text(this.key);
    if ((text == null) || (text.toLowerCase() === "none")) {
      return (text == null) ? default_ : null;
    }
    return new NumberRange({key: this.key, plain: "chain to follow", low: 0, high: chains - 1, whole: true}).from_link(link, py.or(default_, () => 0));
  }
}

export class AxesRules {
  write(value) {
    return py.isinstance(value, "str") ? value : `${py.str(value[0] + 1)}-${py.str(value[1] + 1)}`;
  }
  from_link(link, default_, dim) {
    let text, first, _, second, pair;
    text = link.text(this.key);
    if ((text == null) || (text === "principal")) {
      return (text == null) ? default_ : text;
    }
    [first, _, second] = py.partition(text, "-");
    if ((py.truthy(py.isascii(first))) && (py.truthy(py.isdigit(first))) && (py.truthy(py.isascii(second))) && (py.truthy(py.isdigit(second)))) {
      pair = [py.int(first.slice(0, 9)) - 1, py.int(second.slice(0, 9)) - 1];
      if (!py.eq(pair[0], pair[1]) && (py.all(py.iter(pair).map((axis) => ((0 <= axis) && (axis < dim)))))) {
        return pair;
      }
    }
    link.words.push(`${py.str(this.key)} = ${py.str(shown(text))} must be two different coordinates from 1 to ${py.str(dim)}, such as 1-2, or principal; took ${py.str(this.write(default_))}.`);
    return default_;
  }
}
