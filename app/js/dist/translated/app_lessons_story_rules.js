// Translated from app/lessons/story_rules.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const FIRST = -1;

export class StoryRules {
  get open() {
    return this.at != null;
  }
  get leads() {
    return this.at != null;
  }
  parse_link(link) {
    let key, _, rest, step, case_, at;
    if (!py.truthy(link) || !py.truthy(this.lessons)) {
      return null;
    }
    [key, _, rest] = py.partition(link, ".");
    [step, _, case_] = py.partition(rest, ".");
    if ((this.opening != null) && py.eq(key, this.opening.key)) {
      return [FIRST, _step_in(this.opening, step)];
    }
    at = py.next(py.enumerate(this.lessons).filter(([at, lesson]) => py.eq(key, lesson.key)).map(([at, lesson]) => at), null);
    if (at == null) {
      return [0, 0];
    }
    if (py.truthy(this.lessons[at].cases) && (py.truthy(_is_number(case_)))) {
      this.case = py.int(case_.slice(0, 3));
    }
    return [at, _step_in(this.lessons[at], step)];
  }
  get lesson() {
    return (this.at == null) ? null : this.lesson_of(this.at);
  }
  open_lesson(key) {
    let lessons, at;
    lessons = [this.opening, ...py.iter(this.lessons)];
    at = py.next(py.enumerate(lessons, FIRST).filter(([at, lesson]) => (lesson != null) && py.eq(lesson.key, key)).map(([at, lesson]) => at), null);
    if (at != null) {
      this.show(at);
    }
  }
  open_opening() {
    if (this.opening == null) {
      this.show_contents();
    } else {
      this.show(FIRST);
    }
  }
  show_step(step) {
    let lesson;
    if (!py.truthy(this.leads) || (!((0 <= step) && (step < py.len(this.lesson.steps))))) {
      return null;
    }
    lesson = this.lesson;
    this.card.step = step;
    this._story_pages[lesson.page].apply_step(lesson.steps[step]);
    this._chrome.mark_lesson(this._link());
  }
  next() {
    if (!py.truthy(this.leads)) {
      return null;
    }
    if ((this.at + 1) < py.len(this.lessons)) {
      this.show(this.at + 1);
    } else {
      this.close();
    }
  }
  back() {
    if (py.truthy(this.leads) && (this.at > 0)) {
      this.show(this.at - 1);
    }
  }
  again() {
    if (!py.truthy(this.leads)) {
      return null;
    }
    if (py.truthy(this.lesson.cases)) {
      this.case = this.case + 1;
      this._chosen[this.at] = -1;
      this.show(this.at);
    } else {
      this._begin(this.lesson);
    }
  }
  choose(option) {
    if ((this.at != null) && ((0 <= option) && (option < py.len(this.lesson.question.options)))) {
      this._chosen[this.at] = py.int(option);
      this.card.chosen = py.int(option);
    }
  }
  do(hint) {
    let lesson, chosen, arrive;
    if (!py.truthy(this.leads) || (!((0 <= hint) && (hint < py.len(this.lesson.hints))))) {
      return null;
    }
    lesson = this.lesson;
    chosen = lesson.hints[hint];
    if (chosen.settings != null) {
      arrive = py.truthy(chosen.restart) ? chosen.arrive : lesson.arrive;
      this._story_pages[lesson.page].set(lesson.hint_settings(chosen), chosen.restart, arrive);
    }
  }
  _link() {
    let lesson, step;
    [lesson, step] = [this.lesson, this.card.step];
    if (py.truthy(lesson.cases) && py.truthy(this.case)) {
      return `${py.str(lesson.key)}.${py.str(step)}.${py.str(this.case)}`;
    }
    return py.truthy(step) ? `${py.str(lesson.key)}.${py.str(step)}` : lesson.key;
  }
}

export function _is_number(text) {
  return py.and(py.isascii(text), () => py.isdigit(text));
}

export function _step_in(lesson, text) {
  return (py.truthy(_is_number(text))) ? py.min([py.int(text.slice(0, 3)), py.len(lesson.steps) - 1]) : 0;
}

export function waiting_words(lesson) {
  let t;
  t = lesson.asked_at;
  return py.truthy(t) ? `The run shows the answer from epoch ${py.format(t, ",")} on: play to epoch ${py.format(t, ",")} first.` : "";
}
