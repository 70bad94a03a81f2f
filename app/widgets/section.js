export function render({model}) {
  const root = element(`<div class="root" role="group"><h2><span></span><button class="link"></button></h2><div class="items"></div><p class="note" role="status"></p></div>`)
  const find = s => root.querySelector(s)
  const items = model.get_child("items")
  items.forEach((item, k) => { const cell = element(`<div class="item"></div>`); cell.append(item); find(".items").append(cell) })
  const show = () => {
    if (model.heading) root.setAttribute("aria-label", model.heading)
    root.style.display = model.hidden || !(model.heading || model.action || model.note || items.length) ? "none" : ""
    find("h2 span").textContent = model.heading
    find("h2").hidden = !model.heading && !model.action
    const link = find(".link")
    link.textContent = model.action; link.title = model.hint; allow(link, model.active); link.hidden = !model.action
    find(".note").textContent = model.note
  }
  model.on(["heading", "action", "active", "hint", "note", "hidden"], show); show()
  find(".link").addEventListener("click", () => model.send_msg({type: "action"}))
  return root
}
