// Components drawn without Panel, as parts of another or of a page without a server, with the interface that Panel provides.
import {same} from "./dom.js"
import {styled} from "./styles.js"

/**
 * Draw a component. Return its element, `set`, which changes its values, and `send`, which sends it a message.
 *
 * `values` are its parameters; `children` has name -> element or elements of its child components; `answers` has message type ->
 * handler, called asynchronously; `answer` replaces it with a handler of all messages; `views` returns Bokeh's view of a model;
 * `className` is the class of the element, which lessons search for.
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
  const renew = values => { // set all values at once, like a message of a server
    Object.assign(model, values)
    for (const listener of new Set(Object.keys(values).flatMap(listenersOf))) listener()
  }
  host.className = className
  view.shadow_el.append(styled(component).render({model, view}))
  return {
    host, model,
    set: values => renew(Object.fromEntries(Object.entries(values).filter(([name, value]) => !same(model[name], value)))),
    renew, call, // `renew` also notifies of unchanged values
    send: message => call("msg:custom", message),
  }
}

/** `held.by(model)`: elements of a component's parts, in order. A served page draws some of them here: see parts.js. */
export const held = {by: model => [...model.get_child("items")]}
