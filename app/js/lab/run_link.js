// Connection to a run in a worker, which receives commands and sends snapshots. A page has up to two: its own and a lesson's.

/** Start a worker, which compiles the packed kernels and may then begin a run. */
export function startWorker({script, wasm, manifest}) {
  const address = URL.createObjectURL(new Blob([script], {type: "text/javascript"})), worker = new Worker(address)
  URL.revokeObjectURL(address)
  worker.onerror = event => { event.preventDefault(); worker.failed = event.message || "the worker could not be started" }
  worker.postMessage({type: "prepare", wasm, manifest})
  return worker
}

export class RunLink {
  /**
   * `parts` are {script, wasm, manifest, problems, own}, and a started worker for the first run; `handlers` has
   * .snapshot(snapshot, run), .fault(message, run) and .handover(state, run).
   */
  constructor(parts, config, moment, handlers) {
    Object.assign(this, {last: null, series: null, worker: parts.worker ?? startWorker(parts)})
    parts.worker = null
    this.worker.onmessage = ({data}) => {
      if (data.type === "fault") handlers.fault(data.words, this)
      else if (data.type === "handover") handlers.handover(data.state, this)
      else if (data.type === "snapshot") handlers.snapshot(this.#store(data.snapshot), this)
    }
    this.worker.addEventListener("error", () => handlers.fault(this.worker.failed, this))
    if (this.worker.failed) queueMicrotask(() => handlers.fault(this.worker.failed, this))
    this.post("begin", {problems: parts.problems, config, moment, own: parts.own})
  }

  #store(snapshot) {
    this.last = snapshot
    this.series = snapshot.series ?? this.series
    return snapshot
  }

  /** The last snapshot with its series, for a page that is displayed again. */
  get whole() { return this.last && {...this.last, series: this.series} }
  get playing() { return this.last?.playing ?? true }

  post(type, more = {}) { this.worker.postMessage({type, ...more}) }

  end() { this.worker.terminate() }
}
