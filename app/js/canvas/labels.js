// Labels of the picture and their candidate places. Labels placed first take precedence.
import {isPhone} from "./camera.js"
import {around, corners, nextTo} from "./label_placement.js"
import {acceptanceOutline, chainAt, draw, escapeCircle, ghostOutline, isHot, linePath, olderBalls, toScreen} from "./scene.js"
import {thousands} from "../common/dom.js"

const LEVELS = ["50 %", "90 %", "99 %"];
const ROUND = [2.25, 0.9, 2.55, 0.6, 2.0, 1.15, -0.9, -2.25, 0.3, 2.85, 1.57];
const UNITS = [1, 2, 5, 10];
const ABOVE_SCALE = 22; // height of the scale bar in pixels
const PHONE_BUTTONS = { w: 144, h: 36 }; // on a phone the card's view buttons cover the upper right corner

/** Return a number with three significant digits, including trailing zeros. */
export const threeDigits = (v) => (v >= 1000 ? thousands(v) : v.toPrecision(3));

/** Return the text of a radius: a formula in t, or the constant in rescaled coordinates. */
const radiusText = (symbol, value, rescaled) =>
  rescaled ? `${symbol} = ${Number(value.toPrecision(4))}` : `${symbol}/√(t + c) = ${threeDigits(value)}`;

/** Return the text of a radius in a chain's own metric. */
const sdText = ({ radius }) => `C′ = ${Number(radius.toPrecision(3))} sd in its own metric`;

/** Return the styles of label lines in a font. */
export function textStyles(font) {
  const line = (weight, size, height) => {
    const full = `${weight} ${size}px ${font}`;
    return (text, colour) => ({ text, colour, height, font: full });
  };
  return {
    bold: line(700, 12, 15),
    plain: line(400, 12, 15),
    small: line(400, 11, 14),
    tiny: line(400, 10.5, 13),
    step: line(700, 12.5, 16),
    under: line(400, 11.5, 15),
  };
}

/** Keep labels away from the mode, the checkpoint and the outlines of the balls. */
export function markGround(pic) {
  const { labels, frame, map, width } = pic;
  if (isPhone(width)) labels.keepClear(width - PHONE_BUTTONS.w, 0, PHONE_BUTTONS.w, PHONE_BUTTONS.h);
  const [x, y] = toScreen(map, ...frame.mode);
  labels.keepClear(x - 8, y - 8, 16, 16);
  const ball = escapeCircle(pic);
  if (ball) labels.avoidCircle(ball.x, ball.y, ball.r, 3);
  const acceptance = acceptanceOutline(pic);
  if (acceptance) {
    labels.avoidEllipse(acceptance, 1.5);
    labels.keepClear(acceptance.x - 7, acceptance.y - 7, 14, 14);
  }
  const ghost = ghostOutline(pic);
  if (ghost) labels.avoidEllipse(ghost, 0.8);
  for (const older of olderBalls(pic)) labels.avoidCircle(...toScreen(map, older.x, older.y), older.radius * map.s, 0.3);
}

/** Keep labels away from the followed chain and its reset arrow. */
export function markChains({ labels, frame, map, followed }, reset) {
  if (followed !== null) {
    const [x, y] = chainAt(frame, map, followed);
    labels.keepClear(x - 6, y - 6, 12, 12);
  }
  if (reset) labels.avoidSegment(...toScreen(map, reset.x, reset.y), ...toScreen(map, reset.toX, reset.toY));
}

export function captionBalls(pic) {
  // On a phone only the corner away from the buttons has room for three lines.
  const order = isPhone(pic.width) ? [captionAcceptance, captionEscape] : [captionEscape, captionAcceptance];
  for (const caption of order) caption(pic);
}

function captionEscape(pic) {
  const { labels, palette, frame, width, height, text } = pic;
  const ball = escapeCircle(pic);
  if (!ball || !touches(ball, width, height)) return;
  const value = pic.ball ? `${pic.ball} = ${threeDigits(frame.escape)}` : radiusText("R", frame.escape, frame.rescaled);
  const lines = [text.bold("escape ball", palette.esctx), text.plain(value, palette.esctx)];
  const inside = { x: ball.x, y: ball.y - ball.r + 12, ax: 0.5, ay: 0 };
  const outside = around(ball.x, ball.y, ball.r, ROUND);
  const spots = corners(width, height, ["tl", "tr", "bl", "br"], ABOVE_SCALE);
  labels.place("escape", lines, [...outside, ...spots, inside]);
}

function captionAcceptance(pic) {
  const { labels, palette, frame, width, height, text } = pic;
  const outline = acceptanceOutline(pic);
  if (!outline) return;
  const { ellipse } = frame;
  const name = ellipse ? `acceptance ball of chain ${ellipse.chain}` : "acceptance ball";
  const value = ellipse ? sdText(ellipse) : radiusText("C′", frame.acceptance, frame.rescaled);
  const lines = [
    text.bold(name, palette.acctx),
    text.plain(value, palette.acctx),
    text.plain(`around its checkpoint ◇${ellipse?.inForce === false ? ", not in force" : ""}`, palette.acctx),
  ];
  const spots = corners(width, height, ["br", "bl", "tr", "tl"], ABOVE_SCALE);
  if (!labels.place("acceptance", lines, spots)) labels.place("acceptance", lines.slice(0, 2), spots);
}

/** Label the ghost's outline if there is room. */
export function captionGhost(pic) {
  const { labels, palette, text } = pic;
  const outline = ghostOutline(pic);
  if (!outline) return;
  const far = Math.max(outline.rx, outline.ry);
  labels.place("ghost", [text.bold("ghost", palette.ink2), text.plain("2 sd of its chains", palette.ink2)],
    around(outline.x, outline.y, far, ROUND));
}

/** Return whether a circle's outline is visible. */
function touches(ball, width, height) {
  const farX = Math.max(ball.x, width - ball.x);
  const farY = Math.max(ball.y, height - ball.y);
  return Math.hypot(farX, farY) > ball.r;
}

/** Label the newest reset (of the followed chain, if it has one) and the newest exit. */
export function captionEffects(pic, reset, exit) {
  const { labels, map, palette, text } = pic;
  const name = (word, colour, event, gap) => {
    const places = nextTo(...toScreen(map, event.x, event.y), gap);
    labels.place(word, [text.bold(word, colour)], places, event.strength);
  };
  if (reset) name("reset", palette.acctx, reset, 9);
  if (exit) name("exit", palette.esctx, exit, 13);
}

export function captionContours(pic) {
  const { labels, map, palette, scenery, text } = pic;
  if (!scenery || scenery.contours.length !== LEVELS.length) return;
  const items = scenery.contours.map((loop, i) => {
    const places = extremes(scenery, i).map((at) => {
      const [x, y] = toScreen(map, loop[at], loop[at + 1]);
      return { x, y, ax: 0.5, ay: 0.5 };
    });
    return { key: LEVELS[i], lines: [text.tiny(LEVELS[i], palette.ink2)], places };
  });
  labels.placeTogether("contours", items.reverse()); // the outermost first: inner labels are omitted without room
}

/** Label the target at this temperature, the posterior and the start of the chains, on a ladder. */
export function captionRung(pic) {
  const { labels, frame, map, palette, scenery, rungs, text } = pic;
  const hot = isHot(pic);
  const outside = (loop, sides) => {
    const ends = extremesOf(loop);
    const anchors = [[0.5, 0, 7], [0.5, 1, -7], [0, 0.5, 0], [1, 0.5, 0]];
    return sides.map((side) => {
      const [x, y] = toScreen(map, loop[ends[side]], loop[ends[side] + 1]);
      const [ax, ay, down] = anchors[side];
      return { x: x + (ax === 0 ? 7 : ax === 1 ? -7 : 0), y: y + down, ax, ay };
    });
  };
  if (frame.rung.start) {
    const [x, y] = toScreen(map, ...frame.rung.start);
    labels.keepClear(x - 6, y - 6, 12, 12);
    labels.place("start", [text.plain("cold start", palette.hot)], nextTo(x, y, 9));
  }
  const warm = frame.rung.contours.at(-1);
  if (hot && warm) {
    const words = `target at β = ${rungs[frame.t - 1]}`;
    labels.place("rung", [text.bold(words, palette.esctx)], outside(warm, [1, 0, 2, 3]));
  }
  const last = scenery?.contours.at(-1);
  if (!last) return;
  const name = hot ? text.plain("posterior: 50, 90, 99 %", palette.mode) : text.bold("posterior, β = 1: 50, 90, 99 %", palette.mode);
  labels.place("posterior", [name], outside(last, [0, 1, 2, 3]));
}

/** Return the lowest, highest, rightmost and leftmost point of a contour, cached per scenery. */
function extremes(scenery, i) {
  scenery.extremes ??= scenery.contours.map(extremesOf);
  return scenery.extremes[i];
}

function extremesOf(loop) {
  const find = (offset, sign) => {
    let best = 0;
    for (let at = 0; at < loop.length; at += 2) {
      if (sign * loop[at + offset] > sign * loop[best + offset]) best = at;
    }
    return best;
  };
  return [find(1, -1), find(1, 1), find(0, 1), find(0, -1)];
}

export function captionOlderBalls(pic) {
  const { labels, palette, width, height, text } = pic;
  const balls = olderBalls(pic);
  if (!balls.length) return;
  const newest = Math.max(...balls.map((ball) => ball.epoch));
  const words = `dotted: the ball at t = ${thousands(newest)}`;
  labels.place("older", [text.small(words, palette.esctx)], corners(width, height, ["tr", "tl"]));
}

/** Draw a scale bar of a round length, at least 50 pixels, at the lower left. */
export function captionScale(pic) {
  const { g, labels, map, palette, width, height, text, axes, frame } = pic;
  const decade = 10 ** Math.floor(Math.log10(50 / map.s));
  const unit = UNITS.map((u) => u * decade).find((u) => u * map.s >= 50 - 1e-9);
  const length = unit * map.s;
  if (!Number.isFinite(length) || width < length + 60) return;
  const [x, y] = [14, height - 12];
  for (const [colour, wide] of [[palette.card, 4.5], [palette.ink2, 1.5]]) {
    linePath(g, [x, y - 4], [x, y], [x + length, y], [x + length, y - 4]);
    draw(g, { stroke: colour, width: wide });
  }
  labels.keepClear(x - 4, y - 8, length + 8, 12);
  const number = String(Number(unit.toPrecision(1)));
  const place = { x: x + length + 8, y: y + 4, ax: 0, ay: 1 };
  const name = (words) => labels.place("scale", [text.small(words, palette.ink2)], [place]);
  if (isPhone(width) || !name(`${number} ${axesText(axes, frame.rescaled)}`)) name(number);
}

function axesText(axes, rescaled) {
  const names = axes.join(", ");
  const coordinates = axes.every((name) => name.startsWith("θ"));
  if (rescaled && coordinates) return `in each of ${axes.map((name) => `√(t + c) ${name}`).join(", ")}`;
  if (rescaled) return `along ${names}, times √(t + c)`;
  return coordinates ? `in each coordinate ${names}` : `along ${names}`;
}

/** Label the chain under the pointer with its distance from the mode. */
export function captionHovered(pic) {
  const { labels, frame, map, palette, text, hovered } = pic;
  if (hovered === null) return;
  const [x, y] = frame.positions.subarray(2 * hovered, 2 * hovered + 2);
  const share = Math.hypot(x - frame.mode[0], y - frame.mode[1]) / frame.escape;
  const distance = Number.isFinite(share) ? `, ${share.toFixed(2)} ball radii from the mode` : "";
  const words = text.bold(`chain ${hovered}${distance}`, palette.ink);
  labels.place("hover", [words], nextTo(...chainAt(frame, map, hovered), 12));
}
