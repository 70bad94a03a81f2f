// Translated from app/live/certificates.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {is_charted} from "./app_live_history.js"

export class CertifiedEpoch {
  constructor({t = py.missing("CertifiedEpoch.t"), measured = py.missing("CertifiedEpoch.measured"), in_ball = py.missing("CertifiedEpoch.in_ball"), wasserstein = py.missing("CertifiedEpoch.wasserstein"), variance = py.missing("CertifiedEpoch.variance"), chains = py.missing("CertifiedEpoch.chains"), whitened = false} = {}) {
    Object.assign(this, {t, measured, in_ball, wasserstein, variance, chains, whitened});
  }
}

export class Certificates {
  constructor(certified) {
    this._certified = certified;
    this._epochs = [];
    this._settings = null;
    this._due = false;
  }
  finish(state) {
    let turned, replayed, epoch;
    turned = !py.eq(state.saga.settings, this._settings);
    [this._settings, this._due] = [state.saga.settings, py.or(this._due, () => py.or(turned, () => is_charted(state.t)))];
    replayed = py.bool(this._epochs) && (state.t <= this._epochs.at(-1).t);
    if (py.truthy(turned) || py.truthy(replayed) || !py.truthy(this._due) || py.truthy(state.halted)) {
      return null;
    }
    epoch = this._certified(state);
    if (epoch != null) {
      this._due = false;
      this._epochs.push(epoch);
    }
  }
  truncate(t) {
    this._epochs = py.iter(this._epochs).filter((epoch) => epoch.t <= t);
  }
  until(t) {
    return py.next(py.reversed(this._epochs).filter((epoch) => epoch.t <= t), null);
  }
}
