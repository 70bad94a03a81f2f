/** Whether the server answers: asked of a file, which makes no visit. */
async function serverAnswers() {
  const part = document.querySelector('[src*="static/"], link[href*="static/"]'), file = part?.src ?? part?.href
  try { return (await fetch(file, {method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(8000)})).ok } catch { return false }
}
