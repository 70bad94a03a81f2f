function scrolledByKeys(place) { // formulas too wide for a narrow window: each is a stop of the Tab key, and arrows scroll it
  const look = new ResizeObserver(() => {
    for (const node of place.querySelectorAll(".formula, .f")) {
      if (node.scrollWidth <= node.clientWidth + 1) { for (const name of ["tabindex", "role", "aria-label"]) node.removeAttribute(name); continue }
      node.tabIndex = 0; node.setAttribute("role", "group"); node.setAttribute("aria-label", "Formula, scrolls sideways")
    }
  })
  look.observe(place)
}

async function listTerms(place) { // the whole glossary and a box to search it; names come before what definitions say
  place.innerHTML = `<input type="search" class="find" placeholder="Find a term" aria-label="Find a term"><p class="found" role="status"></p><div class="entries"></div>`
  const terms = await window.labGlossary?.get("terms") ?? {}
  const names = Object.keys(terms).sort((a, b) => a.localeCompare(b))
  const box = place.querySelector(".find"), found = place.querySelector(".found")
  const entries = names.map(name => {
    const entry = document.createElement("div")
    entry.className = "entry"
    entry.innerHTML = terms[name][0]
    return [entry, terms[name][1].toLowerCase()]
  })
  place.querySelector(".entries").append(...entries.map(([entry]) => entry))
  const search = () => {
    const asked = box.value.trim().toLowerCase()
    const named = entries.filter(([, words]) => words.includes(asked))
    const shown = named.length ? named : entries.filter(([entry]) => entry.textContent.toLowerCase().includes(asked))
    for (const [entry] of entries) entry.hidden = !shown.some(([one]) => one === entry)
    found.textContent = asked === "" ? `${names.length} terms` : shown.length ? `${shown.length} found` : `No term holds “${box.value.trim()}”.`
  }
  box.addEventListener("input", search); search()
}
