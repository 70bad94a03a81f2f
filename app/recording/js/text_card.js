// The card under the chains: a lesson's text part by part, or the verdict; the settings as they stand; what is measured.

const OWN_VERDICT_STYLE = `.card{border:0;border-radius:0}
@media (min-width:720px) and (max-height:640px){.verdict{padding:8px 12px 2px;gap:10px}.badge{width:32px;height:32px}.badge .icon{width:20px;height:20px}
h2{font-size:16px;line-height:18px}p{margin-top:1px;font-size:12px;line-height:1.4}.sub{font-size:12px}
.sentence{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}.meters{padding:2px 12px 4px;gap:12px}.l{font-size:11px}.l b{font-size:12px}}`;

const TALLEST = 0.3; // of the window's height: a longer part of the text scrolls while it is read
const SHORT = { "gradient noise": "noise", "epochs reset": "reset" }; // meters' names on a phone
const READ_FROM = 0.2; // share of the reading time after which a long part begins to scroll
const READ_TO = 0.75;

export class TextCard {
  constructor(head, playback, told) {
    Object.assign(this, { head, playback, told, part: null });
    const { lesson } = head;
    this.box = element(`<section class="card text" aria-label="${lesson ? "Lesson" : "What is seen"}">
      <div class="told"></div><div class="readings" data-place="verdict"><span class="rows"></span></div><div class="settings" data-place="settings"></div></section>`);
    this.toldBox = this.box.querySelector(".told");
    if (lesson) this.buildLesson(lesson);
    else this.buildVerdict();
  }

  buildLesson({ parts }) {
    const name = (part, k) => (part.epoch === undefined ? "" : k === 0 ? "start" : `epoch ${thousands(part.epoch)}`);
    this.toldBox.append(
      element(`<nav class="steps" aria-label="Steps of the lesson">${parts.map((part, k) =>
        `<button class="stepchip" data-k="${k}" aria-label="${escapeHtml(["Step", k + 1, part.name || name(part, k)].join(" "))}, ${k + 1} of ${parts.length}">${k + 1}${name(part, k) && ` <span>${name(part, k)}</span>`}</button>`).join("")}</nav>`),
      element(`<div class="words" aria-live="polite"></div>`));
    this.chips = [...this.toldBox.querySelectorAll(".stepchip")];
    this.chips.forEach((chip, k) => chip.addEventListener("click", () => this.playback.toPart(k)));
    this.words = this.toldBox.querySelector(".words");
    this.words.addEventListener("click", (event) => {
      const badge = event.target.closest(".badge");
      if (badge) this.told.point(+badge.dataset.n);
    });
    for (const touch of ["wheel", "pointerdown", "keydown"]) this.toldBox.addEventListener(touch, () => (this.touched = true), { passive: true });
    new ResizeObserver(() => this.fit()).observe(this.box);
    addEventListener("resize", () => this.fit());
  }

  /** The card is as high as the longest part needs, in smaller letters where that is much. */
  fit() {
    const cap = Math.round(TALLEST * innerHeight);
    const steps = this.box.querySelector(".steps").offsetHeight;
    if (!this.box.clientWidth || this.fitted === `${this.box.clientWidth} ${innerHeight} ${steps}`) return;
    const paper = element(`<div class="words paper" aria-hidden="true"></div>`);
    this.toldBox.append(paper);
    const tallest = () => Math.max(...this.head.lesson.parts.map((part) => {
      put(paper, part.html);
      return paper.offsetHeight;
    })) + steps + 26;
    this.box.classList.remove("long");
    this.box.classList.toggle("long", tallest() > 0.5 * cap);
    this.toldBox.style.height = `${Math.min(tallest(), cap)}px`;
    paper.remove();
    this.fitted = `${this.box.clientWidth} ${innerHeight} ${steps}`;
  }

  /** While a part is read that is longer than the card, it moves on, unless the reader has moved it. */
  follow({ reading, readingAll, playing }) {
    const over = this.toldBox.scrollHeight - this.toldBox.clientHeight;
    this.box.classList.toggle("more-below", over > 4 && this.toldBox.scrollTop < over - 4);
    if (!playing || !reading || this.touched || over < 5) return;
    const done = (1 - reading / readingAll - READ_FROM) / (READ_TO - READ_FROM);
    this.toldBox.scrollTop = over * Math.min(Math.max(done, 0), 1);
  }

  /** The verdict as Live's own card shows it, in a shadow root as there, without the button. */
  buildVerdict() {
    const listeners = {};
    this.verdict = {
      look: ["wait", "ink2", "chip"], title: "Starting", subtitle: "", sentence: "", suggestion: "", button: "", meters: [],
      on: (names, listener) => [names].flat().forEach((name) => (listeners[name] ??= []).push(listener)),
      send_msg: () => {}, tell: (name) => (listeners[name] ?? []).forEach((listener) => listener()),
    };
    const host = element(`<div class="verdict-host"></div>`);
    const root = host.attachShadow({ mode: "open" });
    root.append(element(`<style>${VERDICT_STYLE}${OWN_VERDICT_STYLE}</style>`), renderVerdict({ model: this.verdict }));
    this.toldBox.append(host);
  }

  /** Show what has been said up to the frame: {settings, verdict, readings}. */
  show(said) {
    const turned = this.showSettings(said.settings ?? []);
    if (this.chips) this.showPart(this.playback.part, turned);
    else if (said.verdict && said.verdict !== this.verdict.last) {
      Object.assign(this.verdict, said.verdict, { last: said.verdict });
      this.verdict.tell("title");
      this.verdict.tell("meters");
    }
    if (this.chips) this.showReadings(said);
    if (this.chips) this.follow(this.playback);
  }

  /** `turned`: whether the settings, which a badge may stand in, have been written anew. */
  showPart(k, turned) {
    if (k === this.part && !turned) return;
    this.part = k;
    this.chips.forEach((chip, i) => {
      chip.setAttribute("aria-current", i === k ? "step" : "false");
      chip.classList.toggle("past", i < k);
    });
    const { parts } = this.head.lesson;
    put(this.words, k < 0 ? "" : parts[k].html);
    this.toldBox.scrollTop = 0;
    this.touched = false;
    this.chips[k]?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    this.told.badges(k < 0 ? [] : parts[k].badges);
  }

  showSettings(settings) {
    if (settings === this.settings) return false;
    const before = new Map((this.settings ?? settings).map(([key, , value]) => [key, value]));
    this.settings = settings;
    put(this.box.querySelector(".settings"), settings.map(([key, symbol, value]) =>
      `<span data-key="${escapeHtml(key)}" class="${before.get(key) === value ? "" : "turned-now"}">${symbol} <b>${escapeHtml(value)}</b></span>`).join(""));
    return true;
  }

  showReadings({ readings }) {
    put(this.box.querySelector(".rows"), readings.length ? `<i>measured now</i>${readings.map(([label, text, bad]) =>
      `<span class="${bad ? "bad" : ""}">${nameOf(label)} <b>${escapeHtml(text)}</b></span>`).join("")}` : "");
  }
}

const nameOf = (label) => (SHORT[label] ? `<span class="only-wide">${escapeHtml(label)}</span><span class="only-phone">${SHORT[label]}</span>` : escapeHtml(label));
