// The document around the components: its theme, whether its server answers, its address.

export const KEY = "exit-time-lab-theme"

/** Whether a page opens in the dark: by its link, else by what was chosen last, else as the machine is set. */
export function opensDark() {
  const inLink = new URLSearchParams(location.search).get("theme")
  let stored = null
  try { stored = localStorage.getItem(KEY) } catch { /* storage may be forbidden */ }
  return inLink ? inLink === "dark" : stored ? stored === "dark" : matchMedia("(prefers-color-scheme: dark)").matches
}

/** Give the document the variables of a theme. */
export function wear(dark) { document.documentElement.dataset.theme = dark ? "dark" : "light" }

/** Whether the server answers: asked of a file, which makes no visit. */
export async function serverAnswers() {
  const part = document.querySelector('[src*="static/"], link[href*="static/"]'), file = part?.src ?? part?.href
  try { return (await fetch(file, {method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(8000)})).ok } catch { return false }
}

/** Load this address again without the name of a visit, so that the server makes a new one. */
export function loadAnew() {
  const here = new URL(location.href), names = ["bokeh-session-id", "bokeh-token"].filter(name => here.searchParams.has(name))
  for (const name of names) here.searchParams.delete(name)
  if (names.length) location.replace(here); else location.reload()
}
