// The components of the served pages without a server: what Panel gives them, in a page that is its own server.
import {same} from "./dom.js"
import {styled} from "./styles.js"

/**
 * Draw a component; returns its element, `set` of its values and `send` of a message to it.
 *
 * `values` are its parameters; `children` name -> element or elements of the components inside it; `answers` type -> what is done
 * with a message of its script, once that has gone on; `views` gives Bokeh's view of a model; `className` is of the element, as
 * lessons look for it.
 */
export function unserved(component, values, {children = {}, answers = {}, views = () => undefined, className = ""} = {}) {
  const listeners = new Map(), host = document.createElement("div")
  const view = {shadow_el: host.attachShadow({mode: "open"}), get_child_view: views}
  const listenersOf = name => listeners.get(name) ?? listeners.set(name, []).get(name)
  const model = {
    ...values,
    get_child: name => children[name],
    send_msg: message => queueMicrotask(() => answers[message.type]?.(message)),
    on: (names, listener) => [names].flat().forEach(name => listenersOf(name).push(listener)),
    off: (name, listener) => listeners.set(name, listenersOf(name).filter(one => one !== listener)),
  }
  const call = (name, ...parameters) => [...listenersOf(name)].forEach(listener => listener(...parameters))
  host.className = className
  view.shadow_el.append(styled(component).render({model, view}))
  return {
    host, model,
    set: changed => { // all at once, as a server's message does; what is as it was is not told
      const news = Object.keys(changed).filter(name => !same(model[name], changed[name]))
      Object.assign(model, changed)
      const called = new Set()
      for (const listener of news.flatMap(listenersOf)) if (!called.has(listener)) { called.add(listener); listener() }
    },
    send: message => call("msg:custom", message),
  }
}
