// One run in its worker: commands go there, snapshots come back. A page may have two: its own, and that of a lesson.

/** A worker that compiles its kernels, packed; a run may begin in it. */
export function startWorker({script, wasm, manifest}) {
  const address = URL.createObjectURL(new Blob([script], {type: "text/javascript"})), worker = new Worker(address)
  URL.revokeObjectURL(address)
  worker.onerror = event => { event.preventDefault(); worker.failed = event.message || "its worker could not be started" }
  worker.postMessage({type: "prepare", wasm, manifest})
  return worker
}

export class RunLink {
  /**
   * `parts` are {script, wasm, manifest, problems, own}, and a worker that has been started, for the first run; `hear` takes
   * .snapshot(snapshot, run), .fault(words, run) and .handover(state, run).
   */
  constructor(parts, config, moment, hear) {
    Object.assign(this, {last: null, series: null, worker: parts.worker ?? startWorker(parts)})
    parts.worker = null
    this.worker.onmessage = ({data}) => {
      if (data.type === "fault") hear.fault(data.words, this)
      else if (data.type === "handover") hear.handover(data.state, this)
      else if (data.type === "snapshot") hear.snapshot(this.#kept(data.snapshot), this)
    }
    this.worker.addEventListener("error", () => hear.fault(this.worker.failed, this))
    if (this.worker.failed) queueMicrotask(() => hear.fault(this.worker.failed, this))
    this.post("begin", {problems: parts.problems, config, moment, own: parts.own})
  }

  #kept(snapshot) {
    this.last = snapshot
    this.series = snapshot.series ?? this.series
    return snapshot
  }

  /** The last picture with all that belongs to it, for a page that comes back to it. */
  get whole() { return this.last && {...this.last, series: this.series} }
  get playing() { return this.last?.playing ?? true }

  post(type, more = {}) { this.worker.postMessage({type, ...more}) }

  end() { this.worker.terminate() }
}
