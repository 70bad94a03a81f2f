// Runs in the lab file as soon as the kernels' part of it has been read: their worker starts while the rest is read and the page
// is built. `page.js` takes what this leaves in `labParts`: a promise of {script, wasm, manifest, worker}.
import {unpack, unpackJson, unpackText} from "./packed.js"
import {startWorker} from "./run_link.js"

async function start() {
  const [script, wasm, manifest] = await Promise.all([unpackText("worker"), unpack("wasm"), unpackJson("manifest")])
  return {script, wasm, manifest, worker: startWorker({script, wasm, manifest})}
}

if (typeof DecompressionStream !== "undefined") {
  window.labParts = start()
  window.labParts.catch(() => {}) // the page says so
}
