// Live's four charts without a server: figures made by Python, updated by its ChartView, which is translated.
import {ChartView, empty} from "../dist/translated/app_live_charts_view.js"
import {COLUMNS} from "../dist/translated/app_live_snapshot.js"
import {csvText} from "../common/pictures.js"

const DIGITS = 6 // significant digits in the CSV file
// keys are texts in JSON, but numbers in Bokeh's tick labels
const PROPERTIES = {major_label_overrides: labels => new Map(Object.entries(labels).map(([tick, text]) => [Number(tick), text]))}

/** Draw figures of a document, by id, into elements. Return Bokeh's document. */
export async function embedded(document, roots, elements) {
  const places = Object.fromEntries(roots.map((id, k) => [id, elements[k]]))
  await Bokeh.embed.embed_items({figures: document}, [{docid: "figures", root_ids: roots, roots: places}])
  return Bokeh.documents.at(-1)
}

export class Charts {
  /** `layouts` is from Python's lab_charts(); `seek(t)` is called with a clicked epoch. Updates before `build` are drawn by it. */
  constructor(layouts, {seek}) {
    Object.assign(this, {titles: layouts.titles, terms: layouts.terms, layouts, seek, view: new ChartView(), models: [], theme: "light"})
    this.elements = this.titles.map((_, k) => {
      const element = document.createElement("div")
      element.addEventListener("click", event => this.#click(k, event.clientX))
      return element
    })
  }

  get accuracyShown() { return this.view.accuracy_shown }

  /** Draw the figures into `elements`, which must be in the page; BokehJS must be loaded. */
  async build() {
    this.document = await embedded(this.layouts.document, this.layouts.roots, this.elements)
    this.models.push(...this.document.roots())
    this.restyle(this.theme)
    this.#show()
  }

  viewOf(model) { return Bokeh.index.find_one_by_id(model.id) }

  #show() {
    if (!this.document) return
    for (const [name, properties] of Object.entries(this.view.properties())) {
      const values = Object.entries(properties).map(([key, value]) => [key, PROPERTIES[key]?.(value) ?? value])
      this.document.get_model_by_id(this.layouts.models[name]).setv(Object.fromEntries(values))
    }
  }

  #click(k, x) {
    const view = this.models[k] && this.viewOf(this.models[k])
    if (!view) return
    const {left, right} = view.frame.bbox, at = x - view.el.getBoundingClientRect().left
    if (at >= left && at <= right) this.seek(Math.round(view.frame.x_scale.invert(at)))
  }

  /** Show a new series of a run; `held`: keep the accuracies at the right end, like the texts next to the charts. */
  update(series, {t, chains, reduced, algorithm, held = false}) {
    this.view.update(series, t, chains, reduced, algorithm, held)
    this.#show()
  }

  /** Update the accuracies to those of the displayed series. */
  release() { if (this.view.release()) this.#show() }

  /** Show the entire run ("all"), the last minute ("recent") or the epochs of `span` ("span"). */
  setWindow(window, span = null) {
    this.view.set_window(window, span)
    this.#show()
  }

  /** Draw the curves of another run behind these, or remove them with null. */
  setGhost(series) {
    this.view.ghost = series?.columns ?? empty()
    this.#show()
  }

  /** Fit the panels to a card size in pixels; compact: one panel at a time. */
  resize(width, height, compact) {
    this.view.resize(width, height, compact)
    this.#show()
  }

  /** Apply the "light" or "dark" theme. */
  restyle(theme) {
    this.theme = theme
    const colour = token => this.layouts.tokens[theme][token]
    for (const [id, roles] of this.document ? this.layouts.paint : []) {
      const painted = Object.entries(roles).map(([key, role]) => [key, Array.isArray(role) ? role.map(colour) : colour(role)])
      this.document.get_model_by_id(id).setv(Object.fromEntries(painted))
    }
  }

  /** Return the displayed series as CSV text: one row per epoch, with the algorithm and the release. */
  csv() {
    const columns = this.view.properties().series?.data ?? empty(), names = Object.keys(COLUMNS)
    const cell = value => Number.isNaN(value) ? "" : String(Number(value.toPrecision(DIGITS)))
    return csvText([...names, "algorithm"], columns.t.map((_, k) => [...names.map(name => cell(columns[name][k])), this.view.algorithm]))
  }
}
