// The user's own data: a file that is dropped or chosen is read here and never leaves the page. The dialog of the Tune page shows
// the use of its rows beforehand.
import {readTable, textOf} from "./csv_table.js"
import {classesOf, likelyKind, mostColumns, numericColumns, useRows} from "./own_rows.js"
import {pack, unpackText} from "./compressed_parts.js"
import {DataDialog} from "../pages/data_dialog.js"
import {thousands} from "../common/dom.js"
import {unserved} from "../common/panel_stand_in.js"
import {FilePicker} from "../widgets/file_picker.js"

const LARGEST = 50e6, SHOWN = 6 // maximum bytes of a file, rows in the dialog
const NOTE = "The file is read in this page and stays in it: nothing is sent, and links do not contain rows."
const DEPENDENT = {kind: ["positive"], positive: [], response: ["kind", "positive", "features"]} // choice -> choices that it resets

export class OwnData {
  /** `facts` are {kinds, missing, responses} of the lab file; `take(data)` is called with the chosen rows. */
  constructor(facts, take) {
    Object.assign(this, {facts, take, table: null, choices: null, data: null})
    this.picker = unserved(FilePicker, {label: "A file of your own", button: "Your own data …", anywhere: true, hint: "A CSV file: it stays in this page.",
      name_: "", words: "", error: "", accept: ".csv,.txt,.tsv,.data,text/*", fraction: null, piece: LARGEST}, {answers: {
      begin: ({upload, name, size}) => this.#begin(upload, name, size), piece: ({data}) => this.open(this.name, textOf(data)),
      unreadable: () => this.picker.set({error: "The file could not be read; choose it again."})}})
    this.dialog = unserved(DataDialog, {open: false, name_: "", columns: [], rows: [], response: "", features: [], levels: {}, classes: [], positive: "",
      kind: "", kinds: facts.kinds, intercept: true, scale: true, says: [], error: "", note: NOTE}, {answers: {
      choose: ({field, value}) => this.choose(field, value), use: () => this.use(), close: () => this.dialog.set({open: false})}})
  }

  #begin(upload, name, size) {
    this.name = name
    if (size > LARGEST) this.picker.set({error: `“${name}” has ${Math.round(size / 1e6)} MB; the maximum of this page is ${LARGEST / 1e6} MB. A served lab accepts more.`})
    else this.picker.send({upload, at: 0})
  }

  /** Parse a text and show the dialog. */
  open(name, text) {
    try {
      this.table = readTable(text)
    } catch (error) {
      this.picker.set({error: `“${name}” cannot be used: ${error.message}.`})
      return
    }
    this.picker.set({error: ""})
    Object.assign(this, {name, text})
    const {names} = this.table, likely = this.facts.responses.flatMap(word => names.filter(one => one.trim().toLowerCase() === word))
    const response = likely.length && !likely.includes(names.at(-1)) ? likely[0] : names.at(-1)
    this.choices = this.#completed({response, intercept: true, scale: true})
    this.#show(true)
  }

  #completed({response, kind, positive = "", features, intercept, scale}) {
    const {table, facts: {missing}} = this, classes = classesOf(table, response, missing), numeric = numericColumns(table, missing)
    kind ??= likelyKind(classes)
    const most = mostColumns(kind) - (intercept && kind !== "gaussian_mean")
    features ??= numeric.filter(name => name !== response || kind === "gaussian_mean").slice(0, most)
    return {response, kind, positive, features, intercept, scale}
  }

  choose(field, value) {
    const kept = {...this.choices, [field]: value}
    for (const name of DEPENDENT[field] ?? []) delete kept[name]
    this.choices = this.#completed(kept)
    this.#show(true)
  }

  /** Return the rows under the current choices; throw an Error if they cannot be used. */
  #usable() { return useRows(this.table, this.choices, this.facts.missing) }

  #show(open) {
    const {table, choices, facts: {missing}} = this, {response, kind, positive, features, intercept, scale} = choices
    const numeric = numericColumns(table, missing), classes = kind === "logistic" ? classesOf(table, response, missing) : []
    const options = classes.length === 2 ? [[classes[1], `${classes[1]}, ${classes[0]} is 0`], [classes[0], `${classes[0]}, ${classes[1]} is 0`]]
      : classes.length ? [["", "choose …"], ...classes.map(value => [value, `${value}, all others 0`])] : []
    let notes = [], error = ""
    try { notes = leftOut(this.#usable(), table.rows.length) } catch (fault) { error = fault.message }
    const text = table.names.filter(name => name !== response && !numeric.includes(name))
    if (text.length) notes.push(`Left out as text: ${text.slice(0, 8).join(", ")}${text.length > 8 ? " …" : ""}.`)
    this.dialog.set({open, name_: this.name, columns: table.names, rows: table.rows.slice(0, SHOWN), response, features, kind, intercept, scale, says: notes, error,
      levels: Object.fromEntries(text.map(name => [name, 0])), classes: options, positive: positive || (classes.length === 2 ? classes[1] : "")})
  }

  use() {
    this.dialog.set({open: false})
    this.#convert()
    this.take(this.data)
  }

  #convert() {
    const rows = this.#usable(), {defaults} = this.facts
    this.data = {...rows, label: `${this.name}, ${thousands(rows.rows)} rows`, knobs: defaults[rows.kind][rows.dim]}
  }

  /** Return the packed file and choices for a saved lab file, read by `restore`. */
  async packed() { return pack(JSON.stringify({name: this.name, text: this.text, choices: this.choices})) }

  /** Load the rows saved in this lab file, if any. */
  async restore() {
    const saved = await unpackText("rows")
    if (!saved) return
    const {name, text, choices} = JSON.parse(saved)
    Object.assign(this, {name, text, choices, table: readTable(text)})
    this.#convert()
  }
}

/** Return sentences about used and omitted rows. */
function leftOut({rows, left, words}, all) {
  const out = all - rows, reasons = left.map(([reason, count]) => `${thousands(count)} with ${reason}`)
  const omitted = out && left.length ? `, ${reasons.slice(0, 6).join(", ")}${reasons.length > 6 ? ", and more" : ""} left out` : ""
  return [`${thousands(rows)} of ${thousands(all)} rows are used${omitted}.`, ...words]
}
