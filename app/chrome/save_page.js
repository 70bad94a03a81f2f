// "Save as a page" beside Share: a small menu, words about one's own data, progress, and the file when it is made.

const OWN_DATA = "This run is on your own data. The file will hold its chains, its curves and the outline of the posterior, and so what they tell of the data. It holds no row of them."

const READ = 8000 // ms in which the words of a file that is saved are read

function savePage(root, model) {
  const more = root.querySelector(".more"), menu = root.querySelector(".share-menu"), note = root.querySelector(".saving")
  const open = on => {
    menu.hidden = !on
    more.setAttribute("aria-expanded", on)
    if (on) menu.querySelector("button").focus()
  }
  let done = 0
  const show = html => { put(note, html); note.hidden = !html }
  const save = given => model.send_msg({type: "save", ...given})
  const buttons = (...all) => `<span class="deeds">${all.map(([key, words, fill]) => `<button class="btn ${fill ? "fill" : ""}" data-deed="${key}">${words}</button>`).join("")}</span>`
  more.addEventListener("click", () => open(menu.hidden))
  menu.querySelector(".copy").addEventListener("click", () => { open(false); root.querySelector(".share").click() })
  menu.querySelector(".save").addEventListener("click", () => { open(false); more.focus(); save({}) })
  menu.addEventListener("keydown", event => {
    const items = [...menu.querySelectorAll("button")], at = items.indexOf(event.target)
    const move = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (move) items[(at + move + items.length) % items.length].focus()
    else if (event.key === "Escape") { open(false); more.focus() }
    else return
    event.preventDefault(); event.stopPropagation()
  })
  root.addEventListener("focusout", event => { if (!menu.hidden && !menu.contains(event.relatedTarget) && event.relatedTarget !== more) open(false) })
  note.addEventListener("click", event => {
    const deed = event.target.closest("[data-deed]")?.dataset.deed
    if (!deed) return
    show(""); more.focus()
    if (deed === "all" || deed === "nameless") save({sure: true, names: deed === "all"})
    else if (deed === "stop") model.send_msg({type: "stop_saving"})
  })
  const visible = () => { more.hidden = !model.savable; if (more.hidden) open(false) }
  model.on("savable", visible); visible()
  return ({state, share, words, html, name}) => {
    clearTimeout(done)
    if (state === "ask") show(`<p>${OWN_DATA}</p>${buttons(["all", "Save", true], ["nameless", "Save without names of file and columns"], ["close", "Do not save"])}`)
    else if (state === "going") { // only the number is written anew: Stop keeps the focus, and nobody hears each percent
      show(`<p>Saving this run as a page<span class="so-far" aria-hidden="true"></span></p>${buttons(["stop", "Stop"])}`)
      note.querySelector(".so-far").textContent = `: ${Math.round(100 * share)} %`
    }
    else if (state === "failed") show(`<p>${escapeHtml(words)}</p>${buttons(["close", "Close"])}`)
    else if (state === "done") {
      saveFile(name, new Blob([html], {type: "text/html"}))
      model.send_msg({type: "saved"})
      show(`<p>${escapeHtml(words)}</p>${buttons(["close", "Close"])}`)
      done = setTimeout(() => { if (!note.matches(":hover, :focus-within")) show("") }, READ)
    } else if (state !== "turned" || !note.querySelector(".so-far")) show("") // what is still being saved is said on every page
  }
}

