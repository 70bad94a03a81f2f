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
