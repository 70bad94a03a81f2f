// The card under the chains: a lesson's text part by part, or the verdict; the settings as they stand; what is measured.

const OWN_VERDICT_STYLE = `.card{border:0;border-radius:0}
@media (min-width:720px) and (max-height:640px){.verdict{padding:8px 12px 2px;gap:10px}.badge{width:32px;height:32px}.badge .icon{width:20px;height:20px}
h2{font-size:16px;line-height:18px}p{margin-top:1px;font-size:12px;line-height:1.4}.sub{font-size:12px}
.sentence{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}.meters{padding:2px 12px 4px;gap:12px}.l{font-size:11px}.l b{font-size:12px}}`;

const LONG = 900; // letters of HTML above which a part needs a higher card

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
    const name = (part, k) => (k === 0 ? "start" : `epoch ${thousands(part.epoch)}`);
    this.toldBox.append(
      element(`<nav class="steps" aria-label="Steps of the lesson">${parts.map((part, k) =>
        `<button class="stepchip" data-k="${k}" aria-label="Step ${k + 1} of ${parts.length}, ${name(part, k)}">${k + 1}<span>${name(part, k)}</span></button>`).join("")}</nav>`),
      element(`<div class="words" aria-live="polite"></div>`));
    this.box.classList.toggle("long", parts.some((part) => part.html.length > LONG));
    this.chips = [...this.toldBox.querySelectorAll(".stepchip")];
    this.chips.forEach((chip, k) => chip.addEventListener("click", () => this.playback.toPart(k)));
    this.words = this.toldBox.querySelector(".words");
    this.words.addEventListener("click", (event) => {
      const badge = event.target.closest(".badge");
      if (badge) this.told.point(+badge.dataset.n);
    });
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

  /** Show what has been said up to the frame: {settings, verdict, accuracy}. */
  show(said) {
    const turned = this.showSettings(said.settings ?? []);
    if (this.chips) this.showPart(this.playback.part, turned);
    else if (said.verdict && said.verdict !== this.verdict.last) {
      Object.assign(this.verdict, said.verdict, { last: said.verdict });
      this.verdict.tell("title");
      this.verdict.tell("meters");
    }
    if (this.chips) this.showReadings(said);
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

  showReadings({ verdict, accuracy }) {
    const rows = verdict ? verdict.meters.filter(([label]) => label !== "width bias") : [];
    const all = accuracy === null ? [] : [["accuracy", accuracy], ...rows];
    put(this.box.querySelector(".rows"), all.length ? `<i>measured now</i>${all.map(([label, text, , , bad]) =>
      `<span class="${bad ? "bad" : ""}">${escapeHtml(label)} <b>${escapeHtml(text)}</b></span>`).join("")}` : "");
  }
}
