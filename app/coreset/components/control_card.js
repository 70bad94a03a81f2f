export function render({model}) {
  const root = element(`<section class="card"><header><h2></h2></header><div class="body"></div><div class="items"></div></section>`)
  const find = s => root.querySelector(s)
  for (const item of model.get_child("items")) { const cell = element(`<div class="item"></div>`); cell.append(item); find(".items").append(cell) }
  const show = () => { root.setAttribute("aria-label", model.title); put(find("h2"), model.title); put(find(".body"), model.body) }
  model.on(["title", "body"], show); show()
  return root
}
