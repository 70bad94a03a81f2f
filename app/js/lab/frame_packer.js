// One frame of the chain view as bytes, as `app/canvas/frame_bytes.py` packs them: 16 int32 words, then float32 values.

const FRAME = 1, WORDS = 16, GEOMETRY = 9
const SCENERY = 1, ARROWS = 2, RESCALED = 4, ELLIPSE = 16, GHOST = 32

const same = (one, other) => one.length === other.length && one.every((value, i) => value === other[i])

function bits(flags) { // one bit a chain, in 32-bit words: chain k is bit k % 32 of word k // 32
  const words = new Uint32Array(Math.ceil(flags.length / 32))
  flags.forEach((flag, k) => { if (flag) words[k >> 5] |= 1 << (k & 31) })
  return words
}

/**
 * Packs frames; contours and older balls travel only when they change.
 *
 * A cloud is what `app/canvas/cloud.py` says, with names as in JavaScript: positions (K * 2), jumped (K), mode, checkpoint, center (2),
 * escapeDistance, acceptanceDistance, halfWidth, resets (n * 5), exits (n * 3), ball {radius, chain, inForce, outline (xx, xy, yy)} or
 * null, ghost {center, shape (xx, xy, yy)} or null, arrows {ends (4 * 2), path (m * 2), batchSize, t} or null, contours (64 * 2), balls
 * [[epoch, center, radius]].
 */
export class FramePacker {
  #sent = 0
  #coordinates = 0
  #last = null

  /** Returns an ArrayBuffer. `follow` is the followed chain or null; `axes` the names of the two. */
  pack(cloud, {frame, t, run, follow, rescaled, axes}) {
    const last = this.#last
    if (last && (last.rescaled !== rescaled || !same(last.axes, axes))) this.#coordinates++
    const scenery = !last || last.run !== run || this.#changed(cloud, last)
    this.#last = {run, rescaled, axes, contours: cloud.contours, balls: cloud.balls}
    this.#sent++
    const {arrows, ball, ghost} = cloud, chains = cloud.positions.length / 2, jumped = bits(cloud.jumped)
    const parts = [[...cloud.mode, ...cloud.checkpoint, cloud.escapeDistance, cloud.acceptanceDistance, ...cloud.center, cloud.halfWidth],
      cloud.positions, jumped, cloud.resets, cloud.exits]
    if (ball) parts.push([ball.radius, ball.chain, Number(ball.inForce), ...ball.outline])
    if (ghost) parts.push([...ghost.center, ...ghost.shape])
    if (arrows) parts.push(arrows.ends, arrows.path)
    if (scenery) parts.push(...cloud.contours, ...cloud.balls.map(([epoch, center, radius]) => [epoch, ...center, radius]))
    const flags = (scenery && SCENERY) | (arrows && ARROWS) | (rescaled && RESCALED) | (ball && ELLIPSE) | (ghost && GHOST)
    const buffer = new ArrayBuffer(4 * parts.reduce((sum, part) => sum + part.length, WORDS)), head = new Int32Array(buffer, 0, WORDS)
    head.set([FRAME, this.#sent, frame, t, run, chains, flags, follow ?? -1, cloud.resets.length / 5, cloud.exits.length / 3])
    if (arrows) head.set([arrows.path.length / 2, arrows.batchSize, arrows.t], 10)
    head[13] = this.#coordinates
    if (scenery) head.set([cloud.contours.length, cloud.balls.length], 14)
    const floats = new Float32Array(buffer, 4 * WORDS)
    let at = 0
    for (const part of parts) {
      floats.set(part, at)
      at += part.length
    }
    new Uint32Array(buffer).set(jumped, WORDS + GEOMETRY + cloud.positions.length)
    return buffer
  }

  #changed({contours, balls}, last) {
    return contours.length !== last.contours.length || balls.length !== last.balls.length
      || contours.some((loop, i) => loop !== last.contours[i] && !same(loop, last.contours[i]))
      || balls.some(([epoch, center, radius], i) => !same([epoch, radius, ...center], [last.balls[i][0], last.balls[i][2], ...last.balls[i][1]]))
  }
}
