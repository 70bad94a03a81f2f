export function render({model}) {
  const root = element(`<section class="card"><header><h2></h2></header><div class="text"><div class="head"><span class="badge"></span><h3></h3></div><div class="body"></div></div>
    <div class="buttons"></div><span class="said" role="status" aria-live="polite"></span><div class="unseen" role="status" aria-live="polite"></div></section>`)
  const find = s => root.querySelector(s)
  const announce = politely(find(".unseen"))
  const show = () => {
    root.setAttribute("aria-label", model.title)
    const before = find("h3").textContent
    put(find("h2"), model.title); put(find("h3"), model.heading); put(find(".body"), model.body)
    if (model.announces && before && find("h3").textContent !== before) announce(`${model.title}: ${find("h3").textContent}`)
    for (const code of find(".body").querySelectorAll("pre")) { code.tabIndex = 0; code.setAttribute("role", "group"); code.setAttribute("aria-label", "Code") } // scrolls by keyboard
    find("header").style.display = model.title ? "" : "none"
    find(".head").style.display = model.heading ? "" : "none"
    const badge = find(".badge"), [name, ink, behind] = model.look
    badge.style.display = name ? "" : "none"
    if (name) { put(badge, icon(name)); badge.style.color = `var(--lab-${ink})`; badge.style.background = `var(--lab-${behind})`; find("h3").style.color = `var(--lab-${ink})` }
    else find("h3").style.color = ""
  }
  const offer = () => {
    refill(find(".buttons"), model.buttons.map(([key, words, name, filled]) => {
      const inside = `${name ? icon(name) : ""}${escapeHtml(words)}`
      const address = model.links[key]
      const button = element(address ? `<a class="btn ${filled ? "fill" : ""}" href="${escapeHtml(address)}">${inside}</a>` : `<button class="btn ${filled ? "fill" : ""}" data-key="${escapeHtml(key)}">${inside}</button>`)
      if (!address) button.addEventListener("click", () => model.send_msg({type: "press", key}))
      return button
    }))
    find(".buttons").style.display = model.buttons.length ? "" : "none"
  }
  model.on(["title", "heading", "look", "body"], show); show()
  const text = find(".text")
  const fit = new ResizeObserver(() => { // words that do not fit are reached by keyboard
    if (text.scrollHeight > text.clientHeight + 1) text.tabIndex = 0; else text.removeAttribute("tabindex")
  })
  for (const node of [text, find(".body"), find(".head")]) fit.observe(node)
  model.on("remove", () => fit.disconnect())
  model.on(["buttons", "links"], offer); offer()
  const say = text => { const node = find(".said"); node.textContent = text; setTimeout(() => { if (node.textContent === text) node.textContent = "" }, 2500) }
  model.on("msg:custom", async message => {
    if (message.save !== undefined) saveFile(message.name, new Blob([message.save], {type: "text/plain"}))
    if (message.copy !== undefined) {
      try { await navigator.clipboard.writeText(message.copy); say("Copied") }
      catch { say("The browser did not allow copying: select the text instead.") }
    }
  })
  return root
}
