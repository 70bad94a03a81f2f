export function render({model}) {
  const root = element(`<div class="root"></div>`), grids = {}
  for (const [view, layout] of Object.entries(model.layouts)) {
    const grid = grids[view] = element(`<div class="grid"></div>`)
    grid.dataset.view = view
    grid.style.cssText = layout
    root.append(grid)
  }
  model.get_child("cards").forEach((card, k) => {
    const [view, area] = model.places[k]
    const cell = element(`<div class="cell"></div>`)
    cell.style.gridArea = area
    cell.append(card)
    grids[view].append(cell)
  })
  const show = () => { for (const [view, grid] of Object.entries(grids)) grid.hidden = view !== model.view }
  model.on("view", show); show()
  return root
}
