// Step of the followed chain as three consecutive arrows.
import {isPhone} from "./camera.js"
import {draw, headPath, linePath, paintDot, toScreen} from "./scene.js"
import {thousands} from "../common/dom.js"

const GROW_MS = 170; // per arrow
const SHORTEST = 3; // pixels below which an arrow is not drawn

/** Return the screen points before the step and after guess, correction and noise, or null unless all are finite. */
function corners4(pic) {
  const { ends } = pic.frame.arrows;
  if (!ends.every(Number.isFinite)) return null;
  return [0, 2, 4, 6].map((i) => toScreen(pic.map, ends[i], ends[i + 1]));
}

const distance = ([x0, y0], [x1, y1]) => Math.hypot(x1 - x0, y1 - y0);

/** Return the visible fraction of arrow i (0, 1, 2), `age` milliseconds after the step. */
export const grown = (age, i) => Math.min(1, Math.max(0, age / GROW_MS - i));

export const stillGrowing = (age) => age < 3.2 * GROW_MS;

/** Paint the path of the epoch so far, the arrows, and a dot at each end. */
export function paintStep(pic, age) {
  const points = corners4(pic);
  if (!points) return;
  paintPath(pic, points[0]);
  const { g, palette } = pic;
  const arrow = (i, colour, width) => {
    paintArrow(g, points[i], points[i + 1], grown(age, i), { colour, width, halo: palette.card });
  };
  arrow(1, palette.mode, 2);
  arrow(0, palette.sgld, 3);
  arrow(2, palette.chain, 3);
  paintDot(g, ...points[0], 6, palette.chain, palette.card);
  if (grown(age, 2) > 0.9) paintDot(g, ...points[3], 5.5, palette.card, palette.chain, 2.4);
}

function paintPath({ g, map, palette, frame }, end) {
  const { path } = frame.arrows;
  const points = Array.from({ length: path.length / 2 }, (_, i) => toScreen(map, path[2 * i], path[2 * i + 1]));
  g.lineJoin = "round";
  linePath(g, ...points.filter(([x, y]) => Number.isFinite(x + y)), end);
  draw(g, { stroke: palette.chain, width: 1.5, alpha: 0.55 });
}

function paintArrow(g, from, to, share, { colour, width, halo }) {
  const full = distance(from, to);
  if (full < SHORTEST || share === 0) return;
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const head = Math.min(6 + 2 * width, 0.6 * full);
  const reach = (length) => [from[0] + length * Math.cos(angle), from[1] + length * Math.sin(angle)];
  const tip = reach(full * share);
  const neck = reach(Math.max(0, full * share - 0.7 * head));
  for (const [ink, wide, end] of [[halo, width + 3, tip], [colour, width, neck]]) {
    linePath(g, from, end);
    draw(g, { stroke: ink, width: wide });
  }
  headPath(g, ...tip, angle, head);
  draw(g, { fill: colour });
}

/** Label the three terms, each next to its arrow and clear of the others. */
export function captionStep(pic, age) {
  const points = corners4(pic);
  if (!points) return;
  const { labels } = pic;
  for (let i = 0; i < 3; i++) labels.avoidSegment(...points[i], ...points[i + 1]);
  for (const i of [0, 3]) labels.keepClear(points[i][0] - 8, points[i][1] - 8, 16, 16);
  avoidPath(pic, points[0]);
  stepLines(pic, distance(points[1], points[2]) >= SHORTEST).forEach((lines, i) => {
    if (distance(points[i], points[i + 1]) < SHORTEST) return;
    labels.place(`step ${i}`, lines, alongside(points[i], points[i + 1]), grown(age, i));
  });
}

function avoidPath({ labels, map, frame }, end) {
  const { path } = frame.arrows;
  let from = end;
  for (let i = path.length - 2; i >= Math.max(0, path.length - 12); i -= 2) {
    const to = toScreen(map, path[i], path[i + 1]);
    labels.avoidSegment(...from, ...to);
    from = to;
  }
}

/** Return the labels of the three terms; without a correction the first one identifies the step as SGLD. */
function stepLines({ frame, palette, text, width }, corrected) {
  const { batch, t } = frame.arrows;
  const phone = isPhone(width);
  const terms = thousands(t);
  const whole = t === 1 ? " of the only term" : ` of all ${terms} terms`;
  const source = batch >= t ? whole : `${phone ? "" : ", estimated"} from ${batch} of ${terms}`;
  const first = frame.ellipse ? "1  gradient in its own metric" : "1  gradient";
  const guess = [text.step(`${first}${source}`, palette.sgldtx)];
  if (!phone && batch < t) {
    const alone = corrected ? "this estimate alone would be SGLD" : "without correction: this is SGLD";
    guess.push(text.under(alone, palette.ink2));
  }
  const correction = [text.step(phone ? "2  correction" : "2  correction from the cache", palette.ink)];
  const noise = frame.ellipse ? "3  noise √(2η₀) in its own metric" : "3  noise √(2η) ξ";
  return [guess, correction, [text.step(noise, palette.chain)]];
}

/** Return places on both sides of an arrow, from its middle outwards. */
function alongside(from, to) {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const anchor = (v) => (v > 0.35 ? 0 : v < -0.35 ? 1 : 0.5);
  const places = [];
  for (const gap of [10, 26, 48]) {
    for (const share of [0.5, 0.75, 0.25, 1, 0]) {
      for (const side of [1, -1]) {
        const [nx, ny] = [-Math.sin(angle) * side, Math.cos(angle) * side];
        const x = from[0] + share * (to[0] - from[0]) + gap * nx;
        const y = from[1] + share * (to[1] - from[1]) + gap * ny;
        places.push({ x, y, ax: anchor(nx), ay: anchor(ny), cost: gap / 8 });
      }
    }
  }
  return places;
}
