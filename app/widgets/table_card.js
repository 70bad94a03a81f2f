export function render({model}) {
  const root = element(`<section class="card"><header><h2></h2><span class="sub"></span><button class="save" title="Save the numbers as CSV">CSV</button></header>
    <div class="scroll"><table><thead><tr></tr></thead><tbody></tbody></table></div><p class="empty"></p><div class="note"></div></section>`)
  const find = s => root.querySelector(s)
  let by = null, down = false // sorted by this column; null: the order given
  const show = () => {
    root.setAttribute("aria-label", model.title || model.name_column)
    put(find("h2"), model.title); put(find(".sub"), model.subtitle)
    find("header").style.display = model.title || model.subtitle ? "" : "none"
    const heads = [["", model.name_column, ""], ...model.columns]
    refill(find("thead tr"), heads.map(([, words, hint, term], k) => {
      const sort = by === k ? (down ? "descending" : "ascending") : "none"
      const th = element(`<table><tr><th aria-sort="${sort}" title="${escapeHtml(term ? "" : hint ?? "")}"><button>${escapeHtml(words).replace(/\n/g, "<br>")}<i>${by === k ? (down ? "↓" : "↑") : ""}</i></button>${term ? `<lab-term class="about" key="${escapeHtml(term)}" note="${escapeHtml(escapeHtml(hint))}">?</lab-term>` : ""}</th></tr></table>`).querySelector("th")
      th.firstElementChild.addEventListener("click", () => {
        if (by === k && down) { by = null; down = false } else if (by === k) down = true
        else { by = k; down = false }
        show()
      })
      return th
    }))
    const value = row => by === 0 ? row[1] : row[5][by - 1]?.[1]
    const rows = [...model.rows]
    if (by !== null) rows.sort((a, b) => {
      const x = value(a), y = value(b)
      if (x === null || x === undefined) return 1
      if (y === null || y === undefined) return -1
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y))
      return down ? -order : order
    })
    refill(find("tbody"), rows.map(([key, name, kind, token, bold, cells]) => {
      const tr = element(`<table><tr data-key="${escapeHtml(key)}" class="${bold ? "bold" : ""}"><td><span class="name">${mark(kind, token)}${escapeHtml(name)}</span></td>${cells.map(([text, value]) => `<td${typeof value === "string" ? " class=words" : ""}>${escapeHtml(text)}</td>`).join("")}</tr></table>`).querySelector("tr")
      tr.setAttribute("aria-selected", key === model.chosen)
      if (model.clickable) {
        tr.tabIndex = 0
        const choose = () => model.send_msg({type: "choose", key})
        tr.addEventListener("click", choose)
        tr.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { choose(); event.preventDefault() } })
      }
      return tr
    }))
    root.classList.toggle("clickable", model.clickable)
    find(".scroll").style.display = model.rows.length ? "" : "none"
    find(".empty").textContent = model.rows.length ? "" : model.empty
    put(find(".note"), model.note)
  }
  const scroll = find(".scroll"), table = find("table")
  const fit = new ResizeObserver(() => { // smaller letters before a scroll bar, and a sign where there is more
    const wide = () => scroll.scrollWidth > scroll.clientWidth + 1
    root.classList.remove("dense")
    if (wide()) root.classList.add("dense")
    const over = wide()
    if (over) root.classList.remove("dense")
    root.classList.toggle("over", over)
    if (over) { scroll.tabIndex = 0; scroll.setAttribute("role", "group"); scroll.setAttribute("aria-label", "Table, scrolls sideways") }
    else { scroll.removeAttribute("tabindex"); scroll.removeAttribute("role"); scroll.removeAttribute("aria-label") }
  })
  fit.observe(scroll); fit.observe(table)
  model.on("remove", () => fit.disconnect())
  model.on(["title", "subtitle", "columns", "name_column", "rows", "chosen", "clickable", "note", "empty"], show); show()
  find(".save").addEventListener("click", () => model.send_msg({type: "csv"}))
  model.on("msg:custom", message => {
    if (message.csv !== undefined) saveFile(`${model.filename}.csv`, new Blob([message.csv], {type: "text/csv"}))
  })
  return root
}
