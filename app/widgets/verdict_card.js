export function render({model}) {
  const root = element(`<section class="card" aria-label="Verdict">
    <div class="verdict"><div class="badge"></div>
      <div class="text"><div class="head"><h2></h2><span class="sub"></span></div><p class="sentence"></p><p class="try"></p></div>
      <button class="btn apply"></button></div>
    <div class="meters"></div><div class="spoken" aria-live="polite" role="status"></div></section>`)
  const find = s => root.querySelector(s)
  const badge = find(".badge"), apply = find(".apply"), meters = find(".meters"), spoken = find(".spoken")
  const say = politely(spoken)
  let verdict = ""

  const speak = () => { // the verdict when it changes; the numbers in its sentence change all the time and are read there
    const now = `${model.title}, ${model.subtitle}`
    if (now === verdict) return
    verdict = now
    say(`${now}. ${find(".sentence").textContent}`)
  }
  const show = () => {
    const [name, colour, behind] = model.look
    root.style.setProperty("--vc", `var(--lab-${colour})`)
    root.style.setProperty("--vb", `var(--lab-${behind})`)
    root.dataset.title = model.title
    put(badge, icon(name))
    find("h2").textContent = model.title
    find(".sub").textContent = model.subtitle
    put(find(".sentence"), model.sentence)
    find(".try").textContent = model.suggestion
    apply.textContent = model.button
    apply.style.display = model.button ? "" : "none"
    speak()
  }
  const measure = () => {
    if (meters.childElementCount !== model.meters.length) {
      meters.replaceChildren(...model.meters.map(([label, , , , , term]) => element(
        `<div class="meter"><div class="l"><span>${termed(label, term)}</span><b></b></div><div class="bar" role="meter" aria-label="${escapeHtml(label)}" aria-valuemin="0" aria-valuemax="1"><i></i><u></u></div></div>`)))
    }
    model.meters.forEach(([, text, fill, tick, bad], k) => {
      const node = meters.children[k], bar = node.querySelector(".bar")
      node.classList.toggle("bad", bad)
      node.querySelector("b").textContent = text
      bar.setAttribute("aria-valuenow", fill); bar.setAttribute("aria-valuetext", `${text}${bad ? ", past its limit" : ""}`)
      node.querySelector("i").style.transform = `scaleX(${Math.min(1, Math.max(0, fill))})`
      node.querySelector("u").style.left = `${tick * 100}%`
    })
  }
  apply.addEventListener("click", () => model.send_msg({type: "apply"}))
  let asked = false
  model.on(["title", "subtitle", "sentence", "suggestion", "button", "look"], () => {
    if (!asked) { asked = true; queueMicrotask(() => { asked = false; show() }) }
  })
  model.on("meters", measure)
  show(); measure()
  return root
}
