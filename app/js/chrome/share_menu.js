// The menu beside Share: what else can be done with the picture on show. The server answers with a note below it: words, how
// far the work is, buttons, and a file once it is made. See `Header.note`.
import {escapeHtml, icon, put} from "../shared/dom.js"
import {opensMenu} from "../shared/menus.js"
import {saveFile} from "../shared/pictures.js"

const READ = 8000 // ms in which the words of a file that is saved are read

export function shareMenu(root, model) {
  const more = root.querySelector(".more"), menu = root.querySelector(".share-menu"), note = root.querySelector(".note")
  const open = opensMenu(more, menu, key => key === "" ? root.querySelector(".share").click() : model.send_msg({type: "action", key}))
  const entry = (key, picture, label) => `<button role="menuitem" data-key="${escapeHtml(key)}">${icon(picture)}${escapeHtml(label)}</button>`
  const list = () => {
    put(menu, [["", "share", "Copy the link"], ...model.actions].map(one => entry(...one)).join(""))
    more.hidden = model.actions.length === 0
    if (more.hidden) open(false)
  }
  let fading = 0, action = "" // what the note is of
  const write = html => { put(note, html); note.hidden = !html }
  note.addEventListener("click", event => {
    const choice = event.target.closest("[data-choice]")?.dataset.choice
    if (!choice) return
    write(""); more.focus()
    if (choice !== "close") model.send_msg({type: "action", key: action, choice})
  })
  model.on("actions", list); list()

  const show = message => {
    const {words, share, buttons = [], file} = message
    clearTimeout(fading)
    action = message.action
    if (!words) { write(""); return }
    const choices = buttons.map(([key, label, main]) => `<button class="btn ${main ? "fill" : ""}" data-choice="${escapeHtml(key)}">${escapeHtml(label)}</button>`).join("")
    const far = share === undefined ? "" : `<span class="so-far" aria-hidden="true"></span>`
    write(`<p>${escapeHtml(words)}${far}</p><span class="deeds">${choices}</span>`)
    if (far) note.querySelector(".so-far").textContent = `: ${Math.round(100 * share)} %` // the rest stays: the focus too, and nobody hears each percent
    if (!file) return
    saveFile(file.name, new Blob([file.html], {type: "text/html"}))
    model.send_msg({type: "saved"})
    fading = setTimeout(() => { if (!note.matches(":hover, :focus-within")) write("") }, READ)
  }
  return {show, turned: () => { if (!note.querySelector(".so-far")) write("") }} // work that goes on is said on every page
}
