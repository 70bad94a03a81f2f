// Translated from app/live/certificates.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export class CertifiedEpoch {
  constructor({t = py.missing("CertifiedEpoch.t"), measured = py.missing("CertifiedEpoch.measured"), in_ball = py.missing("CertifiedEpoch.in_ball"), wasserstein = py.missing("CertifiedEpoch.wasserstein"), variance = py.missing("CertifiedEpoch.variance"), chains = py.missing("CertifiedEpoch.chains"), whitened = false} = {}) {
    Object.assign(this, {t, measured, in_ball, wasserstein, variance, chains, whitened});
  }
}
