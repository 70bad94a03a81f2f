// The bar at the top: whose recording it is, light or dark, and what the file is.

const THEME_KEY = "exit-time-lab-theme";

export class TopBar {
  constructor(head, logo, told) {
    this.told = told;
    const lesson = head.lesson ? `<small>Lesson ${head.lesson.number}</small>` : "<small>Recording</small>";
    this.box = element(`<header class="top"><span class="logo" aria-hidden="true">${logo}</span>
      <h1>${lesson}<b>${head.titleHtml}</b></h1><span class="about-line" data-place="about">${escapeHtml(head.about)}</span>
      <button class="round theme"></button>
      <button class="round about" aria-label="About this recording" title="About this recording">${icon("info")}</button></header>`);
    this.dialog = element(`<dialog class="about-box" aria-label="About this recording">${aboutWords(head)}
      <form method="dialog"><button class="btn fill">Close</button></form></dialog>`);
    this.box.querySelector(".about").addEventListener("click", () => this.dialog.showModal());
    this.box.querySelector(".theme").addEventListener("click", () => this.choose(!this.dark));
    const system = matchMedia("(prefers-color-scheme: dark)");
    const stored = remembered();
    this.follows = stored === null;
    system.addEventListener("change", () => this.follows && this.show(system.matches));
    this.system = system;
    this.stored = stored;
  }

  /** Show the theme that was chosen here before, else the system's. */
  begin() {
    this.show(this.follows ? this.system.matches : this.stored === "dark");
  }

  choose(dark) {
    this.follows = false;
    try {
      localStorage.setItem(THEME_KEY, dark ? "dark" : "light");
    } catch { /* storage may be forbidden */ }
    this.show(dark);
  }

  show(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    const button = this.box.querySelector(".theme");
    const words = dark ? "Light theme" : "Dark theme";
    put(button, icon(dark ? "sun" : "moon"));
    button.setAttribute("aria-label", words);
    button.title = `${words} (T)`;
    this.told.theme(dark);
  }
}

function remembered() {
  try {
    return localStorage.getItem(THEME_KEY);
  } catch {
    return null;
  }
}

function aboutWords(head) {
  const own = head.own
    ? "It was made on somebody’s own data: the chains, the curves and the outline of the posterior are in this file, and so are what they tell of the data. The rows are not."
    : "The data were made up for this run; none of them are in this file.";
  const again = head.source ? `<p>Made from <code>${escapeHtml(head.source)}</code></p>` : "";
  return `<h2>${head.titleHtml}</h2><p>${escapeHtml(head.about)}${head.unit ? "" : `, ${thousands(head.epochs)} epochs`}.</p>
    <p>A recording of Exit-Time Lab ${escapeHtml(head.version)}: every position was computed then, nothing is computed or fetched now. ${own}</p>${again}
    <table class="keys"><tr><td><kbd>space</kbd></td><td>play, pause</td></tr><tr><td><kbd>←</kbd> <kbd>→</kbd></td><td>one ${head.unit ? "picture" : "epoch"}; with Shift ten</td></tr>
    <tr><td><kbd>↑</kbd> <kbd>↓</kbd></td><td>faster, slower</td></tr><tr><td><kbd>Home</kbd> <kbd>End</kbd></td><td>start, end</td></tr>
    ${head.lesson ? "<tr><td><kbd>Page ↑</kbd> <kbd>Page ↓</kbd></td><td>step of the lesson</td></tr>" : ""}
    <tr><td>click</td><td>a chain: follow it; a chart: go to that ${head.unit ? "step" : "epoch"}</td></tr></table>`;
}
