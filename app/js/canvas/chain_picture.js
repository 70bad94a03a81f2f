// Picture of the chains, for epochs of Live or rungs of a ladder: paints frames and reports the chosen chain. Frames come from a
// server (chain_canvas.js) or a worker.
import {Camera, mapping, stepSquare} from "./camera.js"
import {captionBalls, captionContours, captionEffects, captionGhost, captionHovered, captionOlderBalls, captionRung, captionScale, markChains, markGround, textStyles, threeDigits} from "./labels.js"
import {Effects} from "./flashes.js"
import {listen} from "./gestures.js"
import {Labels, forgetWidths} from "./label_placement.js"
import {hasMoved} from "./frame_bytes.js"
import {paintAcceptanceBall, paintChosen, paintContours, paintDots, paintEscapeBall, paintExits, paintGhost, paintGround, paintMode, paintReset, paintRung, paintStart} from "./scene.js"
import {captionStep, paintStep, stillGrowing} from "./steps.js"
import {Trails} from "./trails.js"
import {thousands} from "../common/dom.js"
import {STILL} from "../common/media.js"
import {saveFile} from "../common/pictures.js"

const GREATEST_DPR = 2; // a higher resolution costs time without visible gain
const SPOKEN_EVERY_MS = 2000;
const FONT_WAIT_MS = 1500;
const GLYPHS = "Ab0 √ξη′θ₁₂◇";
const SHARP_EASE = 128; // maximum number of chains whose trails are redrawn in each frame of an ease
const PATIENCE_MS = 250; // with many visits, wait this long for the next frame instead of animating
const CHOICE_MS = 1500; // display time of a choice that is not confirmed by the owner

/**
 * `look` is read at every painting: {palette, dark, font, axes, rungs, spoken, ball, answered}; `ball` is the name of the escape
 * ball's radius if it is not R/√(t + c), `answered` is above 1 with many visits. `handlers` has .follow(chain or null), called
 * when a chain is chosen, and .painted(), called after each painting of a frame.
 */
export class ChainPicture {
  constructor(look, handlers) {
    this.look = look;
    this.handlers = handlers;
    this.frame = null;
    this.scenery = null;
    this.map = null;
    this.choice = null; // {chain, until}: chosen here, not confirmed yet
    this.hovered = null;
    this.size = { width: 0, height: 0, dpr: 1 };
    this.camera = new Camera();
    this.trails = new Trails();
    this.effects = new Effects();
    this.labels = new Labels();
    this.stepBorn = 0;
    this.lastSpoken = -Infinity;
    this.build();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.box);
    listen(this.canvas, this);
    this.awaitFonts();
  }

  build() {
    this.box = document.createElement("div");
    this.box.style.cssText = "position:relative;width:100%;height:100%;min-height:inherit;overflow:hidden";
    this.canvas = document.createElement("canvas");
    this.canvas.style.cssText = "position:absolute;inset:0;width:100%;height:100%;touch-action:manipulation";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The chains and their target. No frame yet.");
    this.canvas.setAttribute("aria-description", "Arrow keys follow the next or previous chain, Escape follows none.");
    this.canvas.dataset.frames = "0";
    this.g = this.canvas.getContext("2d");
    this.box.append(this.canvas);
  }

  close() {
    this.closed = true;
    this.observer.disconnect();
    clearTimeout(this.speaker);
    clearTimeout(this.patience);
    cancelAnimationFrame(this.scheduled);
  }

  /** Enable labels after the font has loaded, which changes widths and glyphs. */
  async awaitFonts() {
    const { font } = this.look;
    const loads = [400, 700].map((weight) => document.fonts.load(`${weight} 12px ${font}`, GLYPHS));
    const patience = new Promise((resolve) => setTimeout(resolve, FONT_WAIT_MS));
    await Promise.race([Promise.allSettled([...loads, document.fonts.ready]), patience]);
    forgetWidths();
    this.fontsReady = true;
    this.schedule();
  }

  /** Paint a frame at the next repaint of the browser. */
  show(frame) {
    this.takeFrame(frame, performance.now());
    this.schedule();
  }

  takeFrame(frame, now) {
    const last = this.frame;
    const fresh = !last || ["run", "coordinates", "chains"].some((name) => frame[name] !== last[name]);
    if (fresh) {
      this.trails.clear();
      this.effects.clear();
      this.hovered = null;
    }
    if (!last || frame.run !== last.run) this.choice = null;
    if (this.choice?.chain === frame.followed || now > this.choice?.until) this.choice = null;
    this.scenery = frame.scenery ?? (fresh ? null : this.scenery);
    if (frame.arrows && !sameStep(last, frame)) this.stepBorn = now;
    this.frame = frame;
    this.aim(fresh, now);
    if (fresh || hasMoved(last, frame)) this.trails.push(frame, this.look.palette.chain);
    this.effects.absorb(frame, now);
  }

  /** Zoom to the arrows of slow steps; otherwise use the frame's window, which changes only at checkpoints. */
  aim(fresh, now) {
    const { frame, camera } = this;
    this.square = frame.arrows ? stepSquare(frame.arrows.ends, frame.window, this.square) : frame.window;
    if (fresh) camera.snap(this.square);
    else camera.aim(this.square, now, !STILL.matches);
  }

  get followed() {
    if (!this.frame) return null;
    return this.choice ? this.choice.chain : this.frame.followed;
  }

  follow(chain) {
    this.choice = { chain, until: performance.now() + CHOICE_MS };
    this.handlers.follow(chain);
    this.lastSpoken = -Infinity;
    this.schedule();
  }

  hover(chain) {
    if (chain === this.hovered) return;
    this.hovered = chain;
    this.canvas.style.cursor = chain === null ? "default" : "pointer";
    this.schedule();
  }

  resize() {
    const dpr = Math.min(GREATEST_DPR, window.devicePixelRatio || 1);
    this.size = { width: this.box.clientWidth, height: this.box.clientHeight, dpr };
    this.canvas.width = Math.round(this.size.width * dpr);
    this.canvas.height = Math.round(this.size.height * dpr);
    this.stale = true;
    this.paintNow(); // a resized canvas is blank and would flicker until the next frame
  }

  restyle() {
    this.stale = true;
    this.schedule();
  }

  schedule() {
    if (this.scheduled || this.closed) return;
    this.scheduled = requestAnimationFrame(() => {
      this.scheduled = 0;
      this.paintNow();
    });
  }

  paintNow() {
    const now = performance.now();
    clearTimeout(this.patience);
    try {
      if (this.frame && this.size.width > 0 && this.size.height > 0 && this.camera.window) this.paint(now);
    } finally {
      this.handlers.painted(); // even if hidden or failed: the sender waits for an acknowledgement
    }
    if (this.isMoving(now)) this.schedule();
    else if (this.isFading(now)) this.patience = setTimeout(() => this.schedule(), PATIENCE_MS);
  }

  /** Return whether the picture changes without new frames. */
  isMoving(now) {
    if (!this.frame) return false;
    if (this.camera.easing) return true;
    if (STILL.matches) return false;
    return (this.isFading(now) && !(this.look.answered > 1)) || (this.frame.arrows !== null && stillGrowing(now - this.stepBorn));
  }

  isFading(now) {
    return !STILL.matches && this.effects.fading(now);
  }

  paint(now) {
    const { camera, g, size, frame, look } = this;
    const eased = camera.easing;
    camera.step(now);
    this.map = mapping(camera.window, size.width, size.height);
    // Many trails are only stretched during an ease, which blurs them, and redrawn at its end.
    const sharp = !camera.easing || frame.chains <= SHARP_EASE;
    if (this.stale || (sharp && (eased || this.trailsLag()))) {
      this.trails.rebuild(this.map, size, look.palette.chain);
      this.stale = false;
    }
    g.setTransform(size.dpr, 0, 0, size.dpr, 0, 0);
    g.clearRect(0, 0, size.width, size.height);
    this.labels.begin(g, size.width, size.height, look.palette.card);
    this.paintLayers({ ...this.sources(), g, frame, width: size.width, height: size.height }, now);
    this.note(now);
  }

  /** Return the inputs of the painters, without the frame. */
  sources() {
    const { map, labels, scenery, followed, hovered } = this;
    const { palette, dark, axes, rungs, font, ball } = this.look;
    return { map, labels, scenery, followed, hovered, palette, dark, axes, rungs, ball, text: textStyles(font) };
  }

  /** Return whether the trails were drawn for another window, as after a jump of the camera. */
  trailsLag() {
    const [a, b] = [this.trails.map, this.map];
    if (!a) return true;
    return Math.abs(a.s - b.s) > 1e-9 * b.s || Math.abs(a.ox - b.ox) > 0.01 || Math.abs(a.oy - b.oy) > 0.01;
  }

  paintLayers(pic, now) {
    const { followed } = pic;
    const slow = pic.frame.arrows !== null;
    const still = STILL.matches;
    const age = still ? Infinity : now - this.stepBorn;
    const resets = this.effects.list("reset", now, still);
    const exits = this.effects.list("exit", now, still);
    const main = resets.find((reset) => reset.chain === followed) ?? (followed === null ? resets[0] : undefined);
    paintGround(pic);
    if (!pic.frame.chains) return; // the run has not begun
    if (pic.frame.rung) paintRung(pic);
    this.trails.paint(pic.g, pic.map, slow ? 0.4 : 1);
    if (followed !== null && !slow) this.trails.paintFollowed(pic.g, followed, pic.map, pic.palette.chain);
    paintContours(pic);
    paintDots(pic);
    this.captionGround(pic, slow);
    paintChosen(slow ? { ...pic, followed: null } : pic);
    paintEscapeBall(pic);
    paintAcceptanceBall(pic);
    if (!slow) paintGhost(pic);
    for (const reset of resets) paintReset(pic, reset, reset === main);
    paintExits(pic, exits);
    if (slow) paintStep(pic, age);
    if (pic.frame.rung) paintStart(pic);
    else paintMode(pic);
    if (this.fontsReady) this.caption(pic, { main, exit: exits[0], age: slow ? age : null });
  }

  /** Label the background below the chosen dots, so that passing dots do not move these labels. */
  captionGround(pic, slow) {
    if (!this.fontsReady) return;
    markGround(pic);
    captionScale(pic);
    if (pic.frame.rung) captionRung(pic);
    else if (!slow) captionContours(pic);
  }

  /** Place labels in order of importance: earlier ones take precedence. */
  caption(pic, { main, exit, age }) {
    markChains(pic, main);
    if (age !== null) captionStep(pic, age);
    else captionBalls(pic);
    if (age === null) captionGhost(pic);
    captionEffects(pic, main, exit);
    captionHovered(pic);
    if (age === null) captionOlderBalls(pic);
  }

  /** Download the picture on the card's background, as `<name>.png`. */
  save(name) {
    const { canvas, frame } = this;
    if (!frame || !canvas.width) return;
    const sheet = document.createElement("canvas");
    sheet.width = canvas.width;
    sheet.height = canvas.height;
    const g = sheet.getContext("2d");
    g.fillStyle = this.look.palette.card;
    g.fillRect(0, 0, sheet.width, sheet.height);
    g.drawImage(canvas, 0, 0);
    sheet.toBlob((blob) => saveFile(`${name || `chains_t${frame.t}`}.png`, blob));
  }

  /** Update the attributes read by tests and screen readers. */
  note(now) {
    const { dataset } = this.canvas;
    dataset.frames = String(Number(dataset.frames) + 1);
    dataset.t = String(this.frame.t);
    if (this.frame.rung) dataset.rung = dataset.t;
    dataset.run = String(this.frame.run);
    dataset.frame = String(this.frame.frame);
    dataset.followed = String(this.followed ?? "");
    const wait = this.lastSpoken + SPOKEN_EVERY_MS - now;
    if (wait <= 0) this.speak(now);
    else this.speaker ??= setTimeout(() => this.speak(performance.now()), wait);
  }

  speak(now) {
    clearTimeout(this.speaker);
    this.speaker = null;
    this.lastSpoken = now;
    this.canvas.setAttribute("aria-label", this.describe());
  }

  describe() {
    if (this.look.spoken) return this.look.spoken;
    const { frame, effects, followed } = this;
    if (!frame.chains) return "The run is being prepared. No chains yet.";
    const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
    const radius = Number.isFinite(frame.escape) ? `Escape ball of radius ${threeDigits(frame.escape)}. ` : "";
    const own = frame.ellipse ? `Acceptance ball of chain ${frame.ellipse.chain} drawn in its own metric. ` : "";
    const chosen = followed === null ? "No chain followed." : `Following chain ${followed}.`;
    const events = `${count(effects.seen.exit, "exit")} and ${count(effects.seen.reset, "reset")} seen. `;
    return `${count(frame.chains, "chain")} at epoch ${thousands(frame.t)}. ${radius}${own}${events}${chosen}`;
  }
}

function sameStep(last, frame) {
  return Boolean(last?.arrows) && last.arrows.ends.every((value, i) => value === frame.arrows.ends[i]);
}
