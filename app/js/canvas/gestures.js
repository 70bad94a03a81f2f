// Choice of a chain by mouse, touch or keyboard.
import {chainAt} from "./scene.js"

const REACH = { mouse: 14, pen: 18, touch: 26 }; // maximum pixels between a click and the chosen dot

/** Return the chain nearest to a point on screen, or null if none is within `reach` pixels. */
function nearestChain(frame, map, x, y, reach) {
  let best = null;
  let least = reach;
  for (let k = 0; k < frame.chains; k++) {
    const [cx, cy] = chainAt(frame, map, k);
    const d = Math.hypot(cx - x, cy - y);
    if (d < least) [best, least] = [k, d];
  }
  return best;
}

/** Return the chain after (by = 1) or before (by = -1) the followed one, cyclically. */
export function neighbour(followed, chains, by) {
  if (followed === null) return by > 0 ? 0 : chains - 1;
  return (followed + by + chains) % chains;
}

/**
 * Listen to events of `canvas`. `host` has .frame, .map and .followed, and methods .follow(chain or null) and
 * .hover(chain or null).
 */
export function listen(canvas, host) {
  const at = (event, reach) => {
    if (!host.frame || !host.map) return null;
    const box = canvas.getBoundingClientRect();
    return nearestChain(host.frame, host.map, event.clientX - box.left, event.clientY - box.top, reach);
  };
  const handlers = {
    click: (event) => host.follow(at(event, REACH[event.pointerType] ?? REACH.mouse)),
    pointermove: (event) => host.hover(event.pointerType === "touch" ? null : at(event, REACH.mouse)),
    pointerleave: () => host.hover(null),
    keydown: (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!host.frame || event.altKey || event.ctrlKey || event.metaKey) return;
      if (by) host.follow(neighbour(host.followed, host.frame.chains, by));
      else if (event.key === "Escape" && host.followed !== null) host.follow(null);
      else return;
      event.preventDefault(); // do not scroll the page
    },
  };
  for (const [name, handler] of Object.entries(handlers)) canvas.addEventListener(name, handler);
}
