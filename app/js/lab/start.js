// Runs in the lab file once its kernels have been parsed: the worker starts and unpacks them while the rest is parsed.
// `page.js` reads `labParts`: {script, wasm, manifest} as texts of the page, the worker, and a promise of its start. Chromium
// starts a worker and delivers its first messages through the page's thread, so that the page is built after that.
import {startWorker} from "./run_link.js"

const PATIENCE = 200 // maximum ms that the page waits for its worker

if (typeof DecompressionStream !== "undefined") {
  const parts = Object.fromEntries(["script", "wasm", "manifest"].map(id => [id, document.getElementById(id)?.textContent ?? ""]))
  const worker = startWorker(parts), started = new Promise(done => { worker.onmessage = done; setTimeout(done, PATIENCE) })
  window.labParts = {...parts, worker, started}
}
