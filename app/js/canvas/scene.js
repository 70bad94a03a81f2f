// Layers of the picture. Painters have the argument `pic`: {g, map, palette, dark, width, height, frame, scenery, ...}.
import {isPhone} from "./camera.js"

const TAU = 2 * Math.PI;

export function toScreen(map, x, y) {
  return [map.ox + x * map.s, map.oy - y * map.s];
}

/** Fill and stroke the current path, each if it has a colour. */
export function draw(g, { fill, stroke, width = 1, dash = [], alpha = 1 }) {
  g.globalAlpha = alpha;
  if (fill) {
    g.fillStyle = fill;
    g.fill();
  }
  if (stroke) {
    Object.assign(g, { strokeStyle: stroke, lineWidth: width });
    g.setLineDash(dash);
    g.stroke();
    g.setLineDash([]);
  }
  g.globalAlpha = 1;
}

/** Begin the path through points on screen. */
export function linePath(g, ...points) {
  g.beginPath();
  for (const [x, y] of points) g.lineTo(x, y);
}

function circlePath(g, x, y, r) {
  g.beginPath();
  g.arc(x, y, r, 0, TAU);
}

function ellipsePath(g, { x, y, rx, ry, angle }) {
  g.beginPath();
  g.ellipse(x, y, rx, ry, angle, 0, TAU);
}

function loopPath(g, map, loop) {
  g.beginPath();
  for (let i = 0; i < loop.length; i += 2) g.lineTo(map.ox + loop[i] * map.s, map.oy - loop[i + 1] * map.s);
  g.closePath();
}

/** Return the escape ball on screen, or null while its radius is not finite (t + c = 0). */
export function escapeCircle({ frame, map }) {
  const [x, y] = toScreen(map, ...frame.mode);
  const r = frame.escape * map.s;
  return Number.isFinite(x + y + r) && r > 0 ? { x, y, r } : null;
}

/**
 * Return the outline of the acceptance ball on screen, or null: a circle for the followed chain, or, for chains with their
 * own metrics, an ellipse for the chain in the frame. Screen angles run clockwise.
 */
export function acceptanceOutline({ frame, map, followed }) {
  const { ellipse, acceptance } = frame;
  if (followed !== frame.followed || (followed === null && !ellipse)) return null;
  const [x, y] = toScreen(map, ...frame.checkpoint);
  const [rx, ry] = (ellipse ? [ellipse.major, ellipse.minor] : [acceptance, acceptance]).map((r) => r * map.s);
  return Number.isFinite(x + y + rx + ry) && rx > 0 ? { x, y, rx, ry, angle: ellipse ? -ellipse.angle : 0 } : null;
}

/** Return the outline of the ghost's cloud on screen, or null. */
export function ghostOutline({ frame, map }) {
  if (!frame.ghost) return null;
  const { center, major, minor, angle } = frame.ghost;
  const [x, y] = toScreen(map, ...center);
  return Number.isFinite(x + y + major) && major > 0 ? { x, y, rx: major * map.s, ry: minor * map.s, angle: -angle } : null;
}

/** Return earlier escape balls at checkpoints that are larger than the current one; none on a phone. */
export function olderBalls({ frame, scenery, width }) {
  if (!scenery || isPhone(width) || frame.rescaled) return [];
  return scenery.balls.filter((ball) => ball.epoch < frame.t && ball.radius > 1.004 * frame.escape);
}

export function paintGround(pic) {
  const { g, map, palette, dark, scenery } = pic;
  const ball = escapeCircle(pic);
  if (ball) {
    circlePath(g, ball.x, ball.y, ball.r);
    draw(g, { fill: palette.esc, alpha: dark ? 0.07 : 0.045 });
  }
  for (const older of olderBalls(pic)) {
    circlePath(g, ...toScreen(map, older.x, older.y), older.radius * map.s);
    draw(g, { stroke: palette.esc, dash: [2, 4], alpha: 0.32 });
  }
  for (const loop of (!isHot(pic) && scenery?.contours) || []) {
    loopPath(g, map, loop);
    draw(g, { fill: palette.ref, alpha: dark ? 0.13 : 0.11 });
  }
}

/** Return whether the chains are on a rung of a ladder before its last. */
export const isHot = ({ frame, rungs }) => frame.rung !== null && frame.t < rungs.length;

export function paintContours({ g, map, palette, scenery, dark, frame }) {
  const line = { stroke: palette.ink, alpha: dark ? 0.5 : 0.42 };
  for (const loop of scenery?.contours ?? []) {
    loopPath(g, map, loop);
    draw(g, frame.rung ? { stroke: palette.mode, width: 1.2, dash: [4, 3], alpha: 0.9 } : line);
  }
}

/** Paint a ladder's target at the current temperature, filled. */
export function paintRung({ g, map, palette, frame, dark }) {
  for (const loop of frame.rung.contours) {
    loopPath(g, map, loop);
    draw(g, { fill: palette.esc, alpha: dark ? 0.08 : 0.06 });
    draw(g, { stroke: palette.esc, width: 1.3, alpha: 0.75 });
  }
}

/** Paint a cross at the starting point of a ladder's chains. */
export function paintStart({ g, map, palette, frame }) {
  if (!frame.rung.start) return;
  const [x, y] = toScreen(map, ...frame.rung.start);
  for (const side of [1, -1]) {
    linePath(g, [x - 5 * side, y - 5], [x + 5 * side, y + 5]);
    draw(g, { stroke: palette.hot, width: 2 });
  }
}

/** Paint all chains as dots, in one path. */
export function paintDots({ g, map, palette, frame, width }) {
  const { positions, chains } = frame;
  const r = chains > 200 ? 1.8 : isPhone(width) ? 2 : 2.4;
  g.beginPath();
  for (let k = 0; k < chains; k++) {
    const [x, y] = toScreen(map, positions[2 * k], positions[2 * k + 1]);
    if (!Number.isFinite(x + y)) continue;
    g.moveTo(x + r, y);
    g.arc(x, y, r, 0, TAU);
  }
  draw(g, { fill: palette.chain, alpha: 0.9 });
}

/** Highlight the hovered and the followed chain. */
export function paintChosen({ g, map, palette, frame, followed, hovered }) {
  if (hovered !== null) paintDot(g, ...chainAt(frame, map, hovered), 6, palette.card, palette.chain);
  if (followed !== null) paintDot(g, ...chainAt(frame, map, followed), 5.2, palette.chain, palette.card);
}

export function chainAt(frame, map, k) {
  return toScreen(map, frame.positions[2 * k], frame.positions[2 * k + 1]);
}

export function paintDot(g, x, y, r, fill, edge, width = 2) {
  if (!Number.isFinite(x + y)) return;
  circlePath(g, x, y, r);
  draw(g, { fill, stroke: edge, width });
}

export function paintEscapeBall(pic) {
  const ball = escapeCircle(pic);
  if (!ball) return;
  circlePath(pic.g, ball.x, ball.y, ball.r);
  draw(pic.g, { stroke: pic.palette.esc, width: 2 });
}

export function paintAcceptanceBall(pic) {
  const { g, palette } = pic;
  const ball = acceptanceOutline(pic);
  if (!ball) return;
  ellipsePath(g, ball);
  draw(g, { stroke: palette.acc, width: 1.4, dash: [6, 4], alpha: pic.frame.ellipse?.inForce === false ? 0.45 : 1 });
  const d = 6;
  linePath(g, [ball.x, ball.y - d], [ball.x + d, ball.y], [ball.x, ball.y + d], [ball.x - d, ball.y]);
  g.closePath();
  draw(g, { fill: palette.card, stroke: palette.acc, width: 2 });
}

/** Paint the outline of another run's cloud, dashed in the secondary ink. */
export function paintGhost(pic) {
  const outline = ghostOutline(pic);
  if (!outline) return;
  const { g, palette } = pic;
  ellipsePath(g, outline);
  draw(g, { stroke: palette.ink2, width: 1.6, dash: [2, 4] });
}

/** Paint a bent arrow to the checkpoint and a ring at its end; thin unless it is the `main` one. */
export function paintReset({ g, map, palette }, reset, main) {
  const [x, y] = toScreen(map, reset.x, reset.y);
  const [toX, toY] = toScreen(map, reset.toX, reset.toY);
  if (!Number.isFinite(toX + toY)) return;
  const bendX = (x + toX) / 2 + (toY - y) * 0.12;
  const bendY = (y + toY) / 2 - (toX - x) * 0.12;
  const angle = Math.atan2(toY - bendY, toX - bendX);
  const alpha = reset.strength * (main ? 1 : 0.45);
  linePath(g, [x, y]);
  g.quadraticCurveTo(bendX, bendY, toX, toY);
  draw(g, { stroke: palette.acc, width: main ? 1.6 : 1, alpha });
  headPath(g, toX - 9 * Math.cos(angle), toY - 9 * Math.sin(angle), angle, main ? 8 : 6);
  draw(g, { fill: palette.acc, alpha });
  circlePath(g, toX, toY, main ? 12 : 8);
  draw(g, { stroke: palette.acc, width: 5, alpha: reset.strength * (main ? 0.35 : 0.2) });
  if (!main) return;
  circlePath(g, x, y, 4);
  draw(g, { fill: palette.card, stroke: palette.acc, width: 1.8, alpha: reset.strength });
}

/** Begin the path of an arrow's head with its tip at a point. */
export function headPath(g, x, y, angle, length) {
  const barb = (turn) => [x - length * Math.cos(angle + turn), y - length * Math.sin(angle + turn)];
  linePath(g, [x, y], barb(-0.42), barb(0.42));
}

export function paintExits({ g, map, palette }, exits) {
  for (const exit of exits) {
    circlePath(g, ...toScreen(map, exit.x, exit.y), 8);
    draw(g, { stroke: palette.esc, width: 2, alpha: exit.strength });
  }
}

export function paintMode({ g, map, palette, frame }) {
  const [x, y] = toScreen(map, ...frame.mode);
  if (!Number.isFinite(x + y)) return;
  for (const [colour, width] of [[palette.card, 4.5], [palette.mode, 2]]) {
    for (const [dx, dy] of [[7, 0], [0, 7]]) {
      linePath(g, [x - dx, y - dy], [x + dx, y + dy]);
      draw(g, { stroke: colour, width });
    }
  }
}
