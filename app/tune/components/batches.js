export function render({model}) {
  const root = element(`<div class="root" role="group" aria-label="Batches to sweep"></div>`)
  const send = (type, batch) => model.send_msg({type, batch})
  const show = () => {
    const many = model.swept.length > 1
    refill(root, [...model.swept.map(b => {
      const chip = element(`<span class="chip ${b === model.shown ? "on" : ""}"><button class="name" aria-pressed="${b === model.shown}" title="Show the cells of b = ${b}">${b}</button>${many ? `<button class="off" aria-label="Leave b = ${b} out" title="Leave b = ${b} out">×</button>` : ""}</span>`)
      chip.querySelector(".name").addEventListener("click", () => send("show", b))
      chip.querySelector(".off")?.addEventListener("click", () => send("remove", b))
      return chip
    }), ...model.offered.map(b => {
      const chip = element(`<span class="chip"><button class="name add" title="Sweep b = ${b} too">+ ${b}</button></span>`)
      chip.querySelector(".name").addEventListener("click", () => send("add", b))
      return chip
    })])
  }
  model.on(["swept", "offered", "shown"], show); show()
  return root
}
