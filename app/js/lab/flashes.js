// What the picture flashes: resets, and chains seen outside the escape ball. As `app/live/flashes.py`.

const MOST = 32 // of each kind in one frame
const RESETS_LAST = 4, EXITS_LAST = 2 // epochs for which they are shown: played fast, older ones would belong to another ball

const point = (points, k, dim) => points.slice(k * dim, k * dim + dim)

/** Collects since the last frame, and keeps those of the epoch under way for a paused picture. */
export class Flashes {
  #resets = [] // [epoch, chain, from, to]
  #exits = [] // [epoch, chain, place]
  #t = 0
  #published = [0, 0]

  constructor(chains) {
    this.enabled = true // false in a replay
    this.jumped = new Uint8Array(chains)
  }

  clear() {
    this.jumped.fill(0)
    this.#resets = []
    this.#exits = []
    this.#published = [0, 0]
  }

  /** An epoch has opened: which chains were sent back, from where to where. */
  noteResets(saga) {
    this.#t = saga.t
    this.#resets.splice(0, this.#published[0])
    this.#exits.splice(0, this.#published[1])
    this.#published = [0, 0]
    if (!this.enabled) return
    const was = saga.state.array("was_reset"), {dim} = saga, chains = []
    was.forEach((reset, k) => {
      if (!reset) return
      this.jumped[k] = 1
      if (chains.length < MOST) chains.push(k)
    })
    if (!chains.length) return
    const starts = saga.warmStarts(), checkpoints = saga.checkpoints()
    for (const k of chains) this.#resets.push([this.#t, k, point(starts, k, dim), point(checkpoints, k, dim)])
    this.#resets.splice(0, this.#resets.length - MOST)
  }

  /**
   * Chains whose largest squared distance passed the ball's in this slice; `before` is what it was.
   *
   * A chain may be back inside when the slice ends; it is then drawn at its largest distance, in the direction in which it stands.
   */
  noteExits(saga, mode, distance, before) {
    const farthest = saga.state.array("farthest"), square = distance ** 2, {dim} = saga, out = []
    for (let k = 0; k < saga.chains && out.length < MOST; k++) if (farthest[k] > square && before[k] <= square) out.push(k)
    if (!out.length) return
    const positions = saga.positions()
    for (const k of out) {
      const offset = point(positions, k, dim).map((x, q) => x - mode[q]), length = Math.hypot(...offset), far = Math.sqrt(farthest[k])
      const stretch = length > distance ? 1 : far / Math.max(length, 1e-12 * far)
      this.#exits.push([this.#t, k, offset.map((x, q) => mode[q] + stretch * x)])
    }
    this.#exits.splice(0, this.#exits.length - MOST)
  }

  /** Chain, from, to in d dimensions. */
  resets() { return this.#resets.filter(([t]) => t > this.#t - RESETS_LAST).map(([, ...rest]) => rest) }

  /** Chain and place in d dimensions. */
  exits() { return this.#exits.filter(([t]) => t > this.#t - EXITS_LAST).map(([, ...rest]) => rest) }

  /** A frame has been published: keep only what happened in the epoch under way. */
  shown() {
    this.jumped.fill(0)
    this.#resets = this.#resets.filter(([t]) => t === this.#t)
    this.#exits = this.#exits.filter(([t]) => t === this.#t)
    this.#published = [this.#resets.length, this.#exits.length]
  }
}
