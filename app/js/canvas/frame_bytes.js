// Decoder of frames packed by app/canvas/frame_bytes.py: 16 int32 words, then float32 values.

const WORDS = 16;
const GEOMETRY = 9;
const LOOP_POINTS = 64;
const HAS_SCENERY = 1;
const HAS_ARROWS = 2;
const IS_RESCALED = 4;
const HAS_RUNG = 8;
const HAS_ELLIPSE = 16;
const HAS_GHOST = 32;

/** Copy the bytes, which are not aligned within a socket message, to view them as numbers. */
function ownBuffer(data) {
  if (data instanceof ArrayBuffer) return data;
  return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
}

export function decode(data) {
  const buffer = ownBuffer(data);
  const head = new Int32Array(buffer, 0, WORDS);
  let at = WORDS * 4;
  const floats = (n) => {
    const values = new Float32Array(buffer, at, n);
    at += n * 4;
    return values;
  };
  const [seq, frame, t, run, chains, flags, followed] = head.subarray(1, 8);
  const geometry = floats(GEOMETRY);
  const positions = floats(2 * chains);
  const bits = new Uint32Array(buffer, at, Math.ceil(chains / 32));
  at += bits.byteLength;
  const resets = floats(5 * head[8]);
  const exits = floats(3 * head[9]);
  const ellipse = flags & HAS_ELLIPSE ? decodeEllipse(floats(6)) : null;
  const ghost = flags & HAS_GHOST ? decodeGhost(floats(5)) : null;
  const arrows =
    flags & HAS_ARROWS ? { ends: floats(8), path: floats(2 * head[10]), batch: head[11], t: head[12] } : null;
  const rung = flags & HAS_RUNG ? decodeRung(floats, head[10], head[11]) : null;
  const scenery = flags & HAS_SCENERY ? decodeScenery(floats, head[14], head[15]) : null;
  const [modeX, modeY, checkX, checkY, escape, acceptance, x, y, half] = geometry;
  return {
    seq,
    frame,
    t,
    run,
    chains,
    positions,
    jumped: Uint8Array.from({ length: chains }, (_, k) => (bits[k >> 5] >>> (k & 31)) & 1), // break the trail of the chain
    resets,
    exits,
    arrows,
    rung,
    scenery,
    escape,
    acceptance,
    ellipse,
    ghost,
    followed: followed >= 0 && followed < chains ? followed : null,
    rescaled: (flags & IS_RESCALED) !== 0,
    coordinates: head[13],
    mode: [modeX, modeY],
    checkpoint: [checkX, checkY],
    window: { x, y, half },
  };
}

/** Return the half axes and angle (from the x axis, anticlockwise) of the unit circle times a symmetric matrix (xx, xy; xy, yy). */
export function halfAxes(xx, xy, yy) {
  const [mean, half] = [(xx + yy) / 2, Math.hypot((xx - yy) / 2, xy)];
  return { major: mean + half, minor: Math.max(0, mean - half), angle: 0.5 * Math.atan2(2 * xy, xx - yy) };
}

function decodeEllipse([radius, chain, inForce, ...matrix]) {
  return { radius, chain, inForce: inForce === 1, ...halfAxes(...matrix) };
}

/** Return the ellipse of the cloud of the ghost run. */
function decodeGhost([x, y, ...matrix]) {
  return { center: [x, y], ...halfAxes(...matrix) };
}

const decodeLoops = (floats, count) => Array.from({ length: count }, () => floats(2 * LOOP_POINTS));

/** Return the target at the temperature of a ladder's rung, and the common starting point of all chains. */
function decodeRung(floats, loops, started) {
  const start = floats(2);
  return { start: started ? start : null, contours: decodeLoops(floats, loops) };
}

function decodeScenery(floats, loops, balls) {
  const contours = decodeLoops(floats, loops);
  const older = [];
  for (let i = 0; i < balls; i++) {
    const [epoch, x, y, radius] = floats(4);
    older.push({ epoch, x, y, radius });
  }
  return { contours, balls: older };
}

/** Return whether a chain moved between two frames; a paused picture may be sent again. */
export function hasMoved(before, after) {
  if (!before || before.positions.length !== after.positions.length) return true;
  return after.positions.some((value, i) => value !== before.positions[i]);
}
