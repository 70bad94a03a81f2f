// Code that figures of `app.plots` bring along, under a content security policy that forbids to make functions of texts: Bokeh's
// models are given functions that were imported as modules, from blobs of this page.

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

/** Compile what a document brings along, and have Bokeh's models call that. */
export async function bringCode(document) {
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
    return {func: module ? code : function(...given) { return code.call(this, ...values, ...given) }, module}
  }
  prototype("CustomJSHover")._make_code = function() { return of(this)[0] }
  prototype("CustomJSTickFormatter")._make_func = function() { return of(this)[0] }
}
