// Runs in the lab file as soon as the kernels' part of it has been read: their worker starts, and unpacks them, while the rest is read.
// `page.js` takes what this leaves in `labParts`: {script, wasm, manifest}, as they stand in the page, the worker, and a promise of its
// start. Chromium starts a worker, and posts it its first messages, by way of the page's thread: the page is built after that, beside it.
import {startWorker} from "./run_link.js"

const PATIENCE = 200 // ms that the page waits for its worker at most

if (typeof DecompressionStream !== "undefined") {
  const parts = Object.fromEntries(["script", "wasm", "manifest"].map(id => [id, document.getElementById(id)?.textContent ?? ""]))
  const worker = startWorker(parts), started = new Promise(done => { worker.onmessage = done; setTimeout(done, PATIENCE) })
  window.labParts = {...parts, worker, started}
}
