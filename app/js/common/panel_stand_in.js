// Components that Panel does not draw: what it would give them. They are parts of another, or of a page without a server.
import {same} from "./dom.js"
import {styled} from "./styles.js"

/**
 * Draw a component; returns its element, `set` of its values and `send` of a message to it.
 *
 * `values` are its parameters; `children` name -> element or elements of the components inside it; `answers` type -> what is done
 * with a message of its script, once that has gone on, unless `answer` is what is done with each; `views` gives Bokeh's view of a
 * model; `className` is of the element, as lessons look for it.
 */
export function unserved(component, values, {children = {}, answers = {}, answer = message => answers[message.type]?.(message), views = () => undefined, className = ""} = {}) {
  const listeners = new Map(), host = document.createElement("div")
  const view = {shadow_el: host.attachShadow({mode: "open"}), get_child_view: views}
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
    for (const listener of new Set(Object.keys(values).flatMap(listenersOf))) listener()
  }
  host.className = className
  view.shadow_el.append(styled(component).render({model, view}))
  return {
    host, model,
    set: values => renew(Object.fromEntries(Object.entries(values).filter(([name, value]) => !same(model[name], value)))),
    renew, call, // what is as it was is told, too
    send: message => call("msg:custom", message),
  }
}

/** `held.by(model)`: elements of what a component holds, in order. A served page draws some of them itself: see parts.js. */
export const held = {by: model => [...model.get_child("items")]}
