export function render({model}) {
  const root = element(`<div class="root" aria-live="polite"><div class="words"></div><div class="engine"></div></div>`)
  const words = root.querySelector(".words"), engine = root.querySelector(".engine")
  const show = () => {
    put(words, model.words.map((text, k) => `<div class="notice link">${icon("info")}<span>${escapeHtml(text)}</span><button class="round" data-k="${k}" aria-label="Dismiss">${icon("close")}</button></div>`).join(""))
    for (const b of words.querySelectorAll("button")) b.onclick = () => model.send_msg({type: "dismiss", index: +b.dataset.k})
    const busy = ["compiling", "replaying"].includes(model.kind)
    const bar = busy ? `<div class="bar ${model.progress === null ? "endless" : ""}" role="progressbar" aria-label="${escapeHtml(model.kind)}" ${model.progress === null ? "" : `aria-valuenow="${Math.round(model.progress * 100)}"`}><i style="width:${(model.progress ?? 0.3) * 100}%"></i></div>` : ""
    put(engine, model.notice ? `<div class="notice ${escapeHtml(model.kind)}">${icon(busy ? "wait" : ["ended", "arrived"].includes(model.kind) ? "info" : "warn")}<span>${escapeHtml(model.notice)}</span>${bar}${model.action ? `<button class="btn act">${escapeHtml(model.action)}</button>` : ""}${model.kind === "arrived" ? `<button class="round away" aria-label="Dismiss">${icon("close")}</button>` : ""}</div>` : "")
    const away = engine.querySelector(".away")
    if (away) away.onclick = () => put(engine, "")
    const act = engine.querySelector(".act")
    if (act) act.onclick = () => model.send_msg({type: "act"})
    root.dataset.kind = model.kind
  }
  model.on(["words", "notice", "kind", "progress", "action"], show)
  show()
  return root
}
