const AGAIN = 2000 // ms

export function render({model}) {
  giveColours(model.variables)
  wear(opensDark())
  globalThis.exitTimeLabLoaded?.()
  const root = element(`<main class="root"><section class="card"><p class="name">Exit-Time Lab</p><h1></h1><p class="line" role="status" aria-live="polite"></p><p class="wait"></p>
    <p class="soft">Leave this tab open: it comes in by itself, in the order of the line, and shows what your link says.</p>
    <div><button class="btn">Look again now</button></div></section></main>`)
  const find = s => root.querySelector(s)
  let lost = false, timer = null
  const show = () => {
    if (lost) return
    put(find("h1"), escapeHtml(model.heading)); put(find(".line"), escapeHtml(model.position)); put(find(".wait"), escapeHtml(model.wait))
    find(".wait").hidden = !model.wait
  }
  model.on(["heading", "position", "wait"], show); show()
  const tryAgain = async () => {
    clearTimeout(timer)
    if (await serverAnswers()) loadAnew(); else timer = setTimeout(tryAgain, AGAIN * (1 + Math.random()))
  }
  globalThis.Bokeh?.documents?.at(-1)?.on_event("connection_lost", () => {
    if (lost) return
    lost = true
    put(find(".line"), navigator.onLine ? "The server cannot be reached: it was ended or started again, or the network is gone." : "This computer has no network.")
    put(find(".wait"), "This tab tries again by itself, and then joins the line anew."); find(".wait").hidden = false
    tryAgain()
  })
  find("button").addEventListener("click", () => { if (lost) tryAgain(); else model.send_msg({type: "look"}) })
  model.on("msg:custom", message => {
    if (message.enter === undefined) return
    lost = true // no more words: the connection ends with this page
    find("button").disabled = true
    document.cookie = `${model.cookie}=${message.enter}; max-age=60; path=/; SameSite=Lax`
    loadAnew()
  })
  return root
}
