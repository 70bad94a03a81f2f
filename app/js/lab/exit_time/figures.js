// Figures of the Exit time page without a server: empty figures made by Python, filled with the columns of a result.
// The content security policy forbids functions compiled from texts, so that code in the figures of `app.plots` is imported as
// modules from blobs of this page and passed to Bokeh's models.
import {embedded} from "../charts.js"

const OWN = {CustomJS: ["cb_obj", "cb_data", "cb_context"], CustomJSHover: ["value", "format", "special_vars"], CustomJSTickFormatter: ["tick", "index", "ticks"]}
const isModule = code => code.split("\n").some(line => line.trimStart().startsWith("export default"))

function* models(value) { // every model of these kinds in a document as JSON
  if (value === null || typeof value !== "object") return
  if (value.name in OWN && value.attributes) yield value
  for (const one of Object.values(value)) yield* models(one)
}

async function imported(text) {
  const address = URL.createObjectURL(new Blob([text], {type: "text/javascript"}))
  try { return (await import(address)).default } finally { URL.revokeObjectURL(address) }
}

/** Import the code in a document and make Bokeh's models call it. */
async function importCode(document) {
  const made = new Map()
  const key = (kind, names, code) => `${kind} ${names} ${code}`
  for (const {name, attributes: {code, args}} of models(document)) {
    const names = (args?.entries ?? []).map(([own]) => own), own = key(name, names, code)
    if (!made.has(own)) made.set(own, imported(isModule(code) ? code : `export default function(${[...names, ...OWN[name]]}) {\n${code}\n}`))
  }
  for (const [own, promise] of made) made.set(own, await promise)
  const of = model => {
    const args = model.args instanceof Map ? [...model.args] : Object.entries(model.args ?? {})
    return [made.get(key(model.type, args.map(([name]) => name), model.code)), args.map(([, value]) => value)]
  }
  const prototype = name => Bokeh.Models.get(name).prototype
  prototype("CustomJS")._compile = async function() {
    const [code, values] = of(this), module = isModule(this.code)
    return {func: module ? code : function(...parameters) { return code.call(this, ...values, ...parameters) }, module}
  }
  prototype("CustomJSHover")._make_code = function() { return of(this)[0] }
  prototype("CustomJSTickFormatter")._make_func = function() { return of(this)[0] }
}

const words = ticks => new Map(ticks.map(([at, text]) => [at, text]))

export class Figures {
  /** `layouts` is Python's `exit_facts()["charts"]`; `chosen(key)` is called at a tap. Updates before `build` are drawn by it. */
  constructor(layouts, chosen) {
    Object.assign(this, {layouts, chosen, theme: "light", last: {}, document: null})
    this.elements = Object.fromEntries(Object.keys(layouts.models).map(name => [name, document.createElement("div")]))
  }

  /** Draw the figures into `elements`, which must be in the page; BokehJS must be loaded. */
  async build() {
    const {document: exit, models} = this.layouts, names = Object.keys(models)
    await importCode(exit)
    this.document = await embedded(exit, names.map(name => models[name].root), names.map(name => this.elements[name]))
    for (const {sources} of Object.values(models)) {
      for (const id of Object.values(sources)) this.#listen(this.#model(id))
    }
    this.restyle(this.theme)
    for (const [name, figure] of Object.entries(this.last)) this.#fill(name, figure)
  }

  #model(id) { return this.document.get_model_by_id(id) }

  #listen(source) {
    source.selected.properties.indices.change.connect(() => {
      const {indices} = source.selected
      if (!indices.length) return
      const key = source.data.key?.[indices.at(-1)] ?? null
      source.selected.setv({indices: []})
      if (key !== null) this.chosen(key)
    })
  }

  viewOf(name) { return Bokeh.index?.find_one_by_id(this.layouts.models[name].root) }

  /** Show {columns per glyph, x, y: axis labels, options: limits and ticks, spoken: text for screen readers}. */
  show(name, figure) {
    this.last[name] = figure
    if (this.document) this.#fill(name, figure)
  }

  #fill(name, {columns, x, y, options, spoken}) {
    const {root, sources, x: across, y: up} = this.layouts.models[name]
    for (const [side, [range, axis], label] of [["x", across, x], ["y", up, y]]) {
      const limits = options[`${side}lim`], ticks = options[`${side}ticks`]
      if (limits) this.#model(range).setv({start: limits[0], end: limits[1]})
      const drawn = this.#model(axis)
      if (ticks) {
        drawn.ticker.setv({ticks: ticks.map(([at]) => at)})
        drawn.setv({major_label_overrides: words(ticks)})
      }
      drawn.setv({axis_label: label})
    }
    for (const [glyph, own] of Object.entries(columns)) this.#model(sources[glyph]).setv({data: own})
    const model = this.#model(root)
    model.setv({html_attributes: {...model.html_attributes, "aria-label": spoken}})
  }

  /** Apply the "light" or "dark" theme. */
  restyle(theme) {
    this.theme = theme
    if (this.document) for (const [id, property, light, dark] of this.layouts.paint) this.#model(id).setv({[property]: theme === "dark" ? dark : light})
  }
}
