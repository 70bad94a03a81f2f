export function render({model}) {
  const root = element(`<section class="root"><h3><span></span><button class="link"></button></h3><div class="items"></div><p class="note" role="status"></p></section>`)
  const find = s => root.querySelector(s)
  const items = model.get_child("items")
  items.forEach((item, k) => { const cell = element(`<div class="item"></div>`); cell.append(item); find(".items").append(cell) })
  const show = () => {
    root.setAttribute("aria-label", model.heading)
    root.style.display = model.hidden ? "none" : ""
    find("h3 span").textContent = model.heading
    find("h3").style.display = model.heading || model.action ? "" : "none"
    const link = find(".link")
    link.textContent = model.action; link.title = model.hint
    find(".note").textContent = model.note
  }
  model.on(["heading", "action", "hint", "note", "hidden"], show); show()
  find(".link").addEventListener("click", () => model.send_msg({type: "action"}))
  return root
}
