export function render({model}) {
  giveColours(model.variables)
  wear(opensDark())
  const root = element(`<main class="root"><section class="card"><p class="name">Exit-Time Lab</p><h1></h1><p class="line" role="status" aria-live="polite"></p><p class="wait"></p>
    <p class="soft">Leave this tab open: it comes in by itself, in the order of the line, and shows what your link says.</p>
    <div><button class="btn">Look again now</button></div></section></main>`)
  const find = s => root.querySelector(s)
  const show = () => { put(find("h1"), escapeHtml(model.heading)); put(find(".line"), escapeHtml(model.position)); put(find(".wait"), escapeHtml(model.wait)); find(".wait").hidden = !model.wait }
  model.on(["heading", "position", "wait"], show); show()
  find("button").addEventListener("click", () => model.send_msg({type: "look"}))
  model.on("msg:custom", message => {
    if (message.enter === undefined) return
    document.cookie = `${model.cookie}=${message.enter}; max-age=60; path=/; SameSite=Lax`
    location.reload()
  })
  return root
}
