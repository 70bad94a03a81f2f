const KEY = "exit-time-lab-theme"

/** Whether a page opens in the dark: by its link, else by what was chosen last, else as the machine is set. */
function opensDark() {
  const asked = new URLSearchParams(location.search).get("theme")
  let stored = null
  try { stored = localStorage.getItem(KEY) } catch { /* storage may be forbidden */ }
  return asked ? asked === "dark" : stored ? stored === "dark" : matchMedia("(prefers-color-scheme: dark)").matches
}

/** Give the document the variables of a theme. */
function wear(dark) { document.documentElement.dataset.theme = dark ? "dark" : "light" }
