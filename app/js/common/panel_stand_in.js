// Components that Panel does not draw: what it would give them. They are the parts of another, or of a page without a server.
import {same} from "./dom.js"
import {styled} from "./styles.js"

/**
 * Draw a component; returns its element, `set` of its values and `send` of a message to it.
 *
 * `values` are its parameters; `children` name -> element or elements of the components inside it; `answers` type -> what is done
 * with a message of its script, once that has gone on, or what is done with each; `views` gives Bokeh's view of a model;
 * `className` is of the element, as lessons look for it.
 */
export function unserved(component, values, {children = {}, answers = {}, views = () => undefined, className = ""} = {}) {
  const listeners = new Map(), host = document.createElement("div")
  const view = {shadow_el: host.attachShadow({mode: "open"}), get_child_view: views}
  const answer = typeof answers === "function" ? answers : message => answers[message.type]?.(message)
  const listenersOf = name => listeners.get(name) ?? listeners.set(name, []).get(name)
  const model = {
    ...values,
    get_child: name => children[name],
    send_msg: message => queueMicrotask(() => answer(message)),
    on: (names, listener) => [names].flat().forEach(name => listenersOf(name).push(listener)),
    off: (name, listener) => listeners.set(name, listenersOf(name).filter(one => one !== listener)),
  }
  const call = (name, ...parameters) => [...listenersOf(name)].forEach(listener => listener(...parameters))
  const renew = values => { // all at once, as a server's message does
    Object.assign(model, values)
    host.hidden = model.visible === false
    for (const listener of new Set(Object.keys(values).flatMap(listenersOf))) listener()
  }
  host.className = className
  host.hidden = model.visible === false
  view.shadow_el.append(styled(component).render({model, view}))
  return {
    host, model,
    set: values => renew(Object.fromEntries(Object.entries(values).filter(([name, value]) => !same(model[name], value)))),
    renew, // what is as it was is told, too
    close: () => call("remove"),
    send: message => call("msg:custom", message),
  }
}

const kinds = {}
/** Make components known by the names of their Python classes. */
export const offerParts = components => Object.assign(kinds, components)

/**
 * Elements of all that a component holds, in order: its parts, which are drawn here, and its children, which Panel draws. `Holder`
 * in app/js/component.py says which, and hands on what they say.
 */
export function heldBy(model) {
  const items = [...model.get_child("items")]
  const parts = (model.parts ?? items.map(() => null)).map((one, part) => one && unserved(kinds[one.kind], one.values, {
    className: one.classes, answers: message => model.send_msg({type: "part", part, message})}))
  model.on("msg:custom", ({part, values, message}) => {
    if (values) parts[part].renew(values)
    if (message) parts[part].send(message)
  })
  model.on("remove", () => { for (const one of parts) one?.close() })
  return parts.map(one => one ? one.host : items.shift())
}
