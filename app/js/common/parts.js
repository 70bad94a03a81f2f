// Components drawn within another: `Holder` in app/js/component.py says which, and hands on what they say.
import {unserved} from "./panel_stand_in.js"

const kinds = {}
/** Make components known by the names of their Python classes. */
export const offerParts = components => Object.assign(kinds, components)

/** Elements of all that a component holds, in order: its parts, which are drawn here, and its children, which Panel draws. */
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
