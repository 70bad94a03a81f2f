/** Whether the server answers: asked of a file, which makes no visit. */
async function serverAnswers() {
  const file = document.querySelector('script[src*="static/"]')?.src
  try { return (await fetch(file, {method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(8000)})).ok } catch { return false }
}
