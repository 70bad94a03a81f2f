// Plays a recording: reads the columns in this file, and shows chains, charts and words of the present frame. In one scope
// with it are ChainPicture and decodeEllipse (app/canvas/js), renderVerdict and VERDICT_STYLE (the verdict's card), and what
// app/widgets/shared.js defines.

import { ChartStack } from "./chart_stack.js";
import { Clouds } from "./clouds.js";
import { FigureStack } from "./figure_stack.js";
import { PassClouds } from "./pass_clouds.js";
import { Playback } from "./playback.js";
import { listenForKeys } from "./shortcuts.js";
import { TextCard } from "./text_card.js";
import { TopBar } from "./top_bar.js";
import { RecordingTransport } from "./transport.js";
import { lastUpTo, unpack, wordsOf } from "./unpack.js";

const MEMORY = 110; // frames that trails remember
const textOf = (id) => document.getElementById(id).textContent;

class Player {
  constructor(head, theme, columns) {
    Object.assign(this, { head, theme, columns, follow: head.follow, shown: -1, due: 0 });
    this.ofEpoch = head.kind === "epoch"; // one epoch of the Exit time page, not a run of Live
    this.clouds = new (this.ofEpoch ? PassClouds : Clouds)(head, columns);
    this.said = saidByFrame(this.ofEpoch ? [[0, "settings", head.settings], [0, "title", head.heading], [0, "playing", (head.rate * head.epochs) / (head.frames - 1)]] : wordsOf(columns.said));
    const starts = (part, k) => {
      if (this.ofEpoch) return { frame: k * head.frames, hold: (k + 1) * head.frames - 1 };
      const frame = k === 0 ? 0 : this.clouds.frameOf(part.epoch);
      return { frame, hold: frame };
    };
    const parts = (head.lesson?.parts ?? []).map((part, k) => ({ ...starts(part, k), letters: part.html.replace(/<[^>]+>/g, "").length }));
    this.playback = new Playback(this.clouds, head.rate, parts, (jumped) => this.ask(jumped));
    this.look = { palette: theme.tokens.light, dark: false, font: theme.font, axes: head.axes, rungs: [],
      spoken: this.ofEpoch ? `${head.heading} in their ball, a ring where one leaves.` : "", ball: this.ofEpoch ? "r" : "" };
    this.build(parts);
  }

  build(parts) {
    const { head, columns, playback } = this;
    this.picture = new ChainPicture(this.look, { follow: (chain) => this.chooseChain(chain), painted: () => {} });
    this.charts = new (this.ofEpoch ? FigureStack : ChartStack)(head, columns, {
      font: this.theme.font, epoch: (t) => playback.toEpoch(t), resized: () => this.ask(false),
      frameAt: (t) => this.clouds.at(t, 0) });
    this.text = new TextCard(head, playback, { badges: (badges) => this.mark(badges), point: (n) => this.point(n) });
    const changes = this.said.messages.filter(([frame, what]) => what === "settings" && frame > 0).map(([frame]) => [frame, "change", "a setting changes"]);
    const steps = parts.slice(1).map(({ frame }, k) => [frame, "step-mark", `step ${k + 2}`]);
    this.transport = new RecordingTransport(head, this.clouds, playback, [...changes, ...steps]);
    this.top = new TopBar(head, this.theme.logo, { theme: (dark) => this.restyle(dark) });
    this.chains = element(`<section class="card chains" aria-label="Chains" data-place="canvas"><header><h2></h2><span class="hint"></span></header><div class="canvas"></div></section>`);
    this.chains.querySelector(".canvas").append(this.picture.box);
    const main = element(`<main></main>`);
    main.append(this.chains, this.text.box, this.charts.box);
    const root = document.getElementById("recording");
    root.classList.toggle("of-lesson", Boolean(head.lesson));
    root.classList.toggle("of-epoch", this.ofEpoch);
    const foot = element(`<footer></footer>`);
    foot.append(this.transport.box);
    root.append(this.top.box, main, foot, this.top.dialog);
    this.top.begin();
    listenForKeys(playback, this.top);
    playback.seek(0);
  }

  /** Show the present frame at the next animation frame; a jump draws its trails anew. */
  ask(jumped) {
    this.jumped ||= jumped;
    if (this.playback?.playing && !jumped && this.due === 0) return this.show(); // within an animation frame already
    this.due ||= requestAnimationFrame(() => {
      this.due = 0;
      this.show();
    });
  }

  show() {
    if (!this.transport) return;
    const k = this.playback.frame;
    this.showChains(k);
    const said = this.saidUpTo(k);
    const t = this.clouds.columns.ended[k];
    this.charts.entitle({ accuracy: said.measured, variance: said.varied });
    this.charts.show(t, this.look.palette);
    this.text.show({ ...said, readings: this.charts.readings(t, said) });
    this.transport.show(said.playing);
    put(this.chains.querySelector("h2"), escapeHtml(said.title));
    put(this.chains.querySelector(".hint"), this.follow === null ? "click a chain to follow it" : `following chain ${this.follow}`);
  }

  showChains(k) {
    const { picture, clouds, follow } = this;
    if (this.jumped || k < this.shown) picture.jump(clouds.before(k, follow, MEMORY));
    else for (let i = this.shown + 1; i <= k; i++) picture.show(clouds.frame(i, follow));
    [this.shown, this.jumped] = [k, false];
  }

  chooseChain(chain) {
    this.follow = chain;
    this.ask(true);
  }

  restyle(dark) {
    Object.assign(this.look, { dark, palette: this.theme.tokens[dark ? "dark" : "light"] });
    this.picture.restyle();
    this.ask(false);
  }

  saidUpTo(k) {
    const { frames, states } = this.said;
    return states[lastUpTo(frames, k)] ?? {};
  }

  // places that the lesson's text names -----------------------------------------------------------------------

  /** Number the places of the present part. */
  mark(badges) {
    for (const old of document.querySelectorAll(".place-badge")) old.remove();
    this.charts.name(badges.map(({ place }) => place));
    for (const { number, place, key } of badges) {
      const node = this.placeOf(place, key);
      if (node) node.append(element(`<span class="place-badge" aria-hidden="true">${number}</span>`));
    }
    this.badges = badges;
  }

  placeOf(place, key) {
    const panel = this.charts.box.querySelector(`[data-panel="${place}"]`);
    const setting = place === "settings" ? this.text.box.querySelector(`[data-key="${key}"]`) : null;
    return panel ?? setting ?? document.querySelector(`[data-place="${place}"]`);
  }

  /** Bring the place of a badge into view and let it beat. */
  point(number) {
    const badge = this.badges.find((one) => one.number === number);
    if (!badge) return;
    this.charts.reveal(badge.place);
    const node = this.placeOf(badge.place, badge.key);
    if (!node) return;
    node.scrollIntoView({ block: "nearest" });
    node.classList.remove("beat");
    void node.offsetWidth; // so that the animation begins again
    node.classList.add("beat");
  }
}

/** Messages [frame, what, value] as one state a frame at which something changes. */
function saidByFrame(messages) {
  const frames = [];
  const states = [];
  let state = {};
  for (const [frame, what, value] of messages) {
    state = { ...state, [what]: value };
    if (frames.at(-1) === frame) states[states.length - 1] = state;
    else {
      frames.push(frame);
      states.push(state);
    }
  }
  return { frames, states, messages };
}

async function open() {
  const root = document.getElementById("recording");
  if (typeof DecompressionStream === "undefined") {
    root.textContent = "This recording needs a browser of 2023 or later: this one cannot unpack it.";
    return;
  }
  const head = JSON.parse(textOf("head"));
  let columns;
  try {
    columns = await unpack(head.blocks, textOf("packed").trim());
  } catch {
    root.textContent = "This recording is damaged: perhaps the file was cut off on its way. Ask for it again.";
    return;
  }
  const player = new Player(head, JSON.parse(textOf("theme")), columns);
  window.recording = player;
  root.dataset.ready = "1";
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) player.playback.play();
}

open();
