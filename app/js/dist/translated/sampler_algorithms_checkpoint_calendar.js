// Translated from sampler/algorithms/checkpoint_calendar.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export class CheckpointCalendar {
  constructor(since = null) {
    this.since = since;
  }
  forget(came, t, n) {
    if ((this.since == null) || ((2 * (t - n)) >= t) || ((2 * (came - this.since)) >= n)) {
      this.since = came;
    }
  }
  is_due(came) {
    let age;
    if (this.since == null) {
      return false;
    }
    age = came - this.since;
    return (age & (age - 1)) === 0;
  }
  coming(came) {
    return (this.since == null) ? null : (this.since + (1 * 2 ** py.bit_length((came - this.since))));
  }
  newest(came) {
    if ((this.since == null) || (came < this.since)) {
      return 0;
    }
    return this.since + (Math.floor((1 * 2 ** py.bit_length((came - this.since))) / 2 ** 1));
  }
}
