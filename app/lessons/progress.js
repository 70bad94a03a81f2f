// What this browser remembers of the lessons: those seen, and those whose question was answered.
const PROGRESS = "exit-time-lab-lessons"

const progress = () => {
  try { const found = JSON.parse(localStorage.getItem(PROGRESS)); return found && typeof found === "object" ? found : {} } catch { return {} }
}
function remember(key, state) { // "seen" never takes "done" back
  const all = progress()
  if (all[key] === "done" || all[key] === state) return
  all[key] = state
  try { localStorage.setItem(PROGRESS, JSON.stringify(all)) } catch { /* storage may be forbidden */ }
}

const SCORE = "exit-time-lab-cases"
const score = () => {
  try { const found = JSON.parse(localStorage.getItem(SCORE)); return Number.isInteger(found?.right) ? found : {right: 0, of: 0} } catch { return {right: 0, of: 0} }
}
function count(right) { // the first answer to a case
  const known = score()
  try { localStorage.setItem(SCORE, JSON.stringify({right: known.right + right, of: known.of + 1})) } catch { /* as above */ }
}
