// Translated from app/state/parameters/url_reader.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {shown, url_text} from "../../lab/numbers.js"

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
