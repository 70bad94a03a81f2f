// The picture, layer by layer. Every painter takes `pic`: {g, map, palette, dark, width, height, frame, scenery, ...}.
import {isPhone} from "./camera.js"

const TAU = 2 * Math.PI;

export function toScreen(map, x, y) {
  return [map.ox + x * map.s, map.oy - y * map.s];
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

/** The escape ball on screen, or null while its radius is not a number (t + c = 0). */
export function escapeCircle({ frame, map }) {
  const [x, y] = toScreen(map, ...frame.mode);
  const r = frame.escape * map.s;
  return Number.isFinite(x + y + r) && r > 0 ? { x, y, r } : null;
}

/**
 * The outline of the acceptance ball on screen, or null: of the followed chain, round; where chains have a metric of
 * their own, of the chain the frame names, an ellipse. Screen angles run clockwise.
 */
export function acceptanceOutline({ frame, map, followed }) {
  const { ellipse, acceptance } = frame;
  if (followed !== frame.followed || (followed === null && !ellipse)) return null;
  const [x, y] = toScreen(map, ...frame.checkpoint);
  const [rx, ry] = (ellipse ? [ellipse.major, ellipse.minor] : [acceptance, acceptance]).map((r) => r * map.s);
  return Number.isFinite(x + y + rx + ry) && rx > 0 ? { x, y, rx, ry, angle: ellipse ? -ellipse.angle : 0 } : null;
}

/** The outline of the ghost's cloud on screen, or null. */
export function ghostOutline({ frame, map }) {
  if (!frame.ghost) return null;
  const { center, major, minor, angle } = frame.ghost;
  const [x, y] = toScreen(map, ...center);
  return Number.isFinite(x + y + major) && major > 0 ? { x, y, rx: major * map.s, ry: minor * map.s, angle: -angle } : null;
}

/** Balls at checkpoints that are larger than today's: how far it has shrunk. A phone has no room for them. */
export function olderBalls({ frame, scenery, width }) {
  if (!scenery || isPhone(width) || frame.rescaled) return [];
  return scenery.balls.filter((ball) => ball.epoch < frame.t && ball.radius > 1.004 * frame.escape);
}

export function paintGround(pic) {
  const { g, map, palette, dark, scenery } = pic;
  const ball = escapeCircle(pic);
  if (ball) {
    circlePath(g, ball.x, ball.y, ball.r);
    g.globalAlpha = dark ? 0.07 : 0.045;
    g.fillStyle = palette.esc;
    g.fill();
  }
  g.globalAlpha = 0.32;
  g.strokeStyle = palette.esc;
  g.lineWidth = 1;
  g.setLineDash([2, 4]);
  for (const older of olderBalls(pic)) {
    circlePath(g, ...toScreen(map, older.x, older.y), older.radius * map.s);
    g.stroke();
  }
  g.setLineDash([]);
  g.globalAlpha = dark ? 0.13 : 0.11;
  g.fillStyle = palette.ref;
  for (const loop of (!isHot(pic) && scenery?.contours) || []) {
    loopPath(g, map, loop);
    g.fill();
  }
  g.globalAlpha = 1;
}

/** Whether the chains are on a rung of a ladder above its last. */
export const isHot = ({ frame, rungs }) => frame.rung !== null && frame.t < rungs.length;

export function paintContours({ g, map, palette, scenery, dark, frame }) {
  g.strokeStyle = frame.rung ? palette.mode : palette.ink;
  g.globalAlpha = frame.rung ? 0.9 : dark ? 0.5 : 0.42;
  g.lineWidth = frame.rung ? 1.2 : 1;
  if (frame.rung) g.setLineDash([4, 3]);
  for (const loop of scenery?.contours ?? []) {
    loopPath(g, map, loop);
    g.stroke();
  }
  g.setLineDash([]);
  g.globalAlpha = 1;
}

/** A ladder's target at the present temperature, filled. */
export function paintRung({ g, map, palette, frame, dark }) {
  g.strokeStyle = g.fillStyle = palette.esc;
  g.lineWidth = 1.3;
  for (const loop of frame.rung.contours) {
    loopPath(g, map, loop);
    g.globalAlpha = dark ? 0.08 : 0.06;
    g.fill();
    g.globalAlpha = 0.75;
    g.stroke();
  }
  g.globalAlpha = 1;
}

/** A cross where all chains of a ladder began. */
export function paintStart({ g, map, palette, frame }) {
  if (!frame.rung.start) return;
  const [x, y] = toScreen(map, ...frame.rung.start);
  g.strokeStyle = palette.hot;
  g.lineWidth = 2;
  g.beginPath();
  g.moveTo(x - 5, y - 5);
  g.lineTo(x + 5, y + 5);
  g.moveTo(x + 5, y - 5);
  g.lineTo(x - 5, y + 5);
  g.stroke();
}

/** All chains in one path. */
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
  g.fillStyle = palette.chain;
  g.globalAlpha = 0.9;
  g.fill();
  g.globalAlpha = 1;
}

/** The hovered and the followed chain stand out. */
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
  g.fillStyle = fill;
  g.fill();
  g.lineWidth = width;
  g.strokeStyle = edge;
  g.stroke();
}

export function paintEscapeBall(pic) {
  const ball = escapeCircle(pic);
  if (!ball) return;
  circlePath(pic.g, ball.x, ball.y, ball.r);
  pic.g.strokeStyle = pic.palette.esc;
  pic.g.lineWidth = 2;
  pic.g.stroke();
}

export function paintAcceptanceBall(pic) {
  const { g, palette } = pic;
  const ball = acceptanceOutline(pic);
  if (!ball) return;
  ellipsePath(g, ball);
  g.strokeStyle = palette.acc;
  g.lineWidth = 1.4;
  g.setLineDash([6, 4]);
  g.globalAlpha = pic.frame.ellipse?.inForce === false ? 0.45 : 1;
  g.stroke();
  g.globalAlpha = 1;
  g.setLineDash([]);
  const d = 6;
  g.beginPath();
  g.moveTo(ball.x, ball.y - d);
  g.lineTo(ball.x + d, ball.y);
  g.lineTo(ball.x, ball.y + d);
  g.lineTo(ball.x - d, ball.y);
  g.closePath();
  g.fillStyle = palette.card;
  g.fill();
  g.lineWidth = 2;
  g.stroke();
}

/** Another run's cloud: dashed, in the ink of side matters. */
export function paintGhost(pic) {
  const outline = ghostOutline(pic);
  if (!outline) return;
  const { g, palette } = pic;
  ellipsePath(g, outline);
  g.strokeStyle = palette.ink2;
  g.lineWidth = 1.6;
  g.setLineDash([2, 4]);
  g.stroke();
  g.setLineDash([]);
}

/** A bent arrow back to the checkpoint, a ring where the chain lands; thin unless it is the `main` one. */
export function paintReset({ g, map, palette }, reset, main) {
  const [x, y] = toScreen(map, reset.x, reset.y);
  const [toX, toY] = toScreen(map, reset.toX, reset.toY);
  if (!Number.isFinite(toX + toY)) return;
  const bendX = (x + toX) / 2 + (toY - y) * 0.12;
  const bendY = (y + toY) / 2 - (toX - x) * 0.12;
  const angle = Math.atan2(toY - bendY, toX - bendX);
  g.globalAlpha = reset.strength * (main ? 1 : 0.45);
  g.strokeStyle = g.fillStyle = palette.acc;
  g.lineWidth = main ? 1.6 : 1;
  g.beginPath();
  g.moveTo(x, y);
  g.quadraticCurveTo(bendX, bendY, toX, toY);
  g.stroke();
  arrowHead(g, toX - 9 * Math.cos(angle), toY - 9 * Math.sin(angle), angle, main ? 8 : 6);
  g.globalAlpha = reset.strength * (main ? 0.35 : 0.2);
  g.lineWidth = 5;
  circlePath(g, toX, toY, main ? 12 : 8);
  g.stroke();
  g.globalAlpha = reset.strength;
  if (main) paintDot(g, x, y, 4, palette.card, palette.acc, 1.8);
  g.globalAlpha = 1;
}

export function arrowHead(g, x, y, angle, length) {
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(x - length * Math.cos(angle - 0.42), y - length * Math.sin(angle - 0.42));
  g.lineTo(x - length * Math.cos(angle + 0.42), y - length * Math.sin(angle + 0.42));
  g.closePath();
  g.fill();
}

export function paintExits({ g, map, palette }, exits) {
  g.strokeStyle = palette.esc;
  g.lineWidth = 2;
  for (const exit of exits) {
    g.globalAlpha = exit.strength;
    circlePath(g, ...toScreen(map, exit.x, exit.y), 8);
    g.stroke();
  }
  g.globalAlpha = 1;
}

export function paintMode({ g, map, palette, frame }) {
  const [x, y] = toScreen(map, ...frame.mode);
  if (!Number.isFinite(x + y)) return;
  for (const [colour, width] of [[palette.card, 4.5], [palette.mode, 2]]) {
    g.strokeStyle = colour;
    g.lineWidth = width;
    g.beginPath();
    g.moveTo(x - 7, y);
    g.lineTo(x + 7, y);
    g.moveTo(x, y - 7);
    g.lineTo(x, y + 7);
    g.stroke();
  }
}
