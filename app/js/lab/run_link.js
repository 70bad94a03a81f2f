// One run in its worker: commands go there, snapshots come back. A page may have two: its own, and that of a lesson.

/** What a worker needs of the reader's own data. */
export const rowsOf = own => own && {label: own.label, kind: own.kind, dim: own.dim, features: own.features, labels: own.labels}

export class RunLink {
  /** `parts` are {script, wasm, manifest, problems, own}; `hear` takes .snapshot(snapshot, run) and .fault(words, run). */
  constructor(parts, config, moment, hear) {
    const address = URL.createObjectURL(new Blob([parts.script], {type: "text/javascript"}))
    Object.assign(this, {last: null, series: null, ghost: null})
    this.worker = new Worker(address)
    this.worker.onmessage = ({data}) => {
      if (data.type === "fault") hear.fault(data.words, this)
      else if (data.type === "snapshot") hear.snapshot(this.#kept(data.snapshot), this)
    }
    this.worker.onerror = event => { event.preventDefault(); hear.fault(event.message || "its worker could not be started", this) }
    URL.revokeObjectURL(address)
    const {wasm, manifest, problems} = parts
    this.post("begin", {wasm: wasm.slice().buffer, manifest, problems, config, moment, own: rowsOf(parts.own)})
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
