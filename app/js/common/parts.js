// Parts of a component in a served page: `Holder` in app/js/component.py defines which are drawn here and relays their messages; the
// others are its children, which Panel draws.
import {held, unserved} from "./panel_stand_in.js"

/** Enable the drawing of parts; `components` has all components by the names of their Python classes. */
export function drawParts(components) {
  const drawn = ({kind, values, classes}, answer) => {
    const {host, model, renew, send, call} = unserved(components[kind], values, {className: classes, answer})
    const hide = () => { host.hidden = !model.visible }
    model.on("visible", hide); hide()
    return {host, renew, send, close: () => call("remove")}
  }
  held.by = model => {
    const items = [...model.get_child("items")]
    const parts = model.parts.map((one, part) => one && drawn(one, message => model.send_msg({type: "part", part, message})))
    model.on("msg:custom", ({part, values, message}) => {
      if (values) parts[part].renew(values)
      if (message) parts[part].send(message)
    })
    model.on("remove", () => { for (const one of parts) one?.close() })
    return parts.map(one => one ? one.host : items.shift())
  }
}
