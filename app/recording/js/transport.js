// The bar at the foot: play, one epoch back and on, the scrubber with its marks, speed, readouts.

const TEN = ["", "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];

export class RecordingTransport {
  constructor(head, clouds, playback, marks) {
    Object.assign(this, { head, clouds, playback });
    const [unit, units] = head.unit ?? ["epoch", "epochs"];
    const move = head.unit ? "picture" : unit;
    this.units = [unit, units];
    const tool = (name, words, key, sign, turned = "") =>
      `<button class="btn tool ${turned}" data-press="${name}" aria-label="${words}" aria-keyshortcuts="${key}" title="${words}">${icon(sign)}</button>`;
    this.box = element(`<div class="transport" role="toolbar" aria-label="Playback">
      <button class="play" data-press="play" aria-keyshortcuts="Space"></button>
      ${tool("back", `One ${move} back (←)`, "ArrowLeft", "step", "turned")}${tool("on", `One ${move} on (→)`, "ArrowRight", "step")}
      <label class="scrub"><span class="cap"><span>${unit} <b class="now-epoch"></b> of ${thousands(head.epochs)}</span><span class="state" aria-live="polite"></span></span>
        <span class="slot"><span class="marks"></span><input class="range" type="range" min="0" max="${playback.last}" step="1" value="0" aria-label="moment of the recording"></span></label>
      <label class="speed"><span class="cap"><span class="only-wide">speed</span><b class="speed-words"></b></span>
        <input class="range" type="range" min="0" max="${playback.factors.length - 1}" step="1" value="${playback.factor}" aria-label="speed"></label>
      <i class="rule"></i>
      <div class="ro"><span class="l">${head.unit ? "step i" : "epoch t"}</span><span class="v" data-ro="t">0</span></div>
      <div class="ro more" ${head.unit ? "hidden" : ""}><span class="l">step i of i<sub>t</sub></span><span class="v"><span data-ro="i"></span> <small>/ <span data-ro="n"></span></small></span></div>
      <div class="ro more size"><span class="l">step size</span><span class="v" data-ro="size"></span></div></div>`);
    const find = (selector) => this.box.querySelector(selector);
    this.parts = { play: find(".play"), scrub: find(".scrub .range"), speed: find(".speed .range"), epoch: find(".now-epoch"),
      words: find(".speed-words"), state: find(".state") };
    this.readouts = Object.fromEntries([...this.box.querySelectorAll("[data-ro]")].map((node) => [node.dataset.ro, node]));
    const presses = { play: () => playback.toggle(), back: () => playback.byEpochs(-1), on: () => playback.byEpochs(1) };
    for (const button of this.box.querySelectorAll("[data-press]")) button.addEventListener("click", presses[button.dataset.press]);
    this.parts.scrub.addEventListener("input", () => playback.seek(+this.parts.scrub.value));
    this.parts.speed.addEventListener("input", () => playback.setFactor(+this.parts.speed.value));
    this.mark(find(".marks"), marks);
  }

  /** Ticks on the scrubber: [frame, class, title]. */
  mark(node, marks) {
    put(node, marks.map(([frame, kind, title]) => {
      const share = this.playback.last ? frame / this.playback.last : 0;
      return `<u class="${kind}" title="${escapeHtml(title)}" style="left:calc(${(share * 100).toFixed(2)}% + ${((0.5 - share) * 13).toFixed(1)}px)"></u>`;
    }).join(""));
  }

  /** `pace` is in epochs a second at the present frame, at plain speed. */
  show(pace) {
    const { clouds, playback, parts, readouts } = this;
    const k = playback.frame;
    const { t, step, run_length: length, step_size: size } = clouds.columns;
    const sign = playback.playing ? "pause" : playback.ended ? "restart" : "play";
    const words = { pause: "Pause", restart: "Play again", play: "Play" }[sign];
    if (parts.play.dataset.sign !== sign) {
      parts.play.dataset.sign = sign;
      put(parts.play, icon(sign));
      parts.play.setAttribute("aria-label", words);
      parts.play.title = `${words} (space)`;
    }
    if (+parts.scrub.value !== k) parts.scrub.value = k;
    fillRange(parts.scrub);
    const epoch = thousands(t[k]);
    put(parts.epoch, epoch);
    parts.scrub.setAttribute("aria-valuetext", `${this.units[0]} ${epoch} of ${thousands(this.head.epochs)}`);
    const said = speedWords(pace * playback.factors[playback.factor], this.units);
    put(parts.words, said);
    parts.speed.value = playback.factor;
    parts.speed.setAttribute("aria-valuetext", said);
    fillRange(parts.speed);
    put(parts.state, playback.reading > 0 ? "time to read" : "");
    put(readouts.t, epoch);
    put(readouts.i, String(step[k]));
    put(readouts.n, String(length[k]));
    put(readouts.size, scientificWords(size[k]));
    Object.assign(this.box.dataset, { frame: k, t: t[k], playing: playback.playing, frames: playback.frames });
  }
}

function speedWords(rate, [unit, units]) {
  const n = rate >= 10 ? Math.round(rate) : Number(rate.toPrecision(2));
  return `${thousands(n)} ${n === 1 ? unit : units}/s`;
}

/** As app/number_words.py scientific: 1.6 × 10⁻³, or plainly when it is near one. */
function scientificWords(value) {
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? "0" : "…";
  if (Math.abs(value) >= 0.01 && Math.abs(value) < 1000) return String(Number(value.toPrecision(3)));
  const [mantissa, exponent] = value.toExponential(1).split("e");
  const raised = exponent.replace("+", "").replace("-", "⁻").replace(/\d/g, (digit) => TEN[+digit + 1]);
  return `${mantissa} × 10${raised}`;
}
