// Translated from app/live/promise_words.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {Promise} from "./app_live_snapshot.js"
import {short} from "./app_number_words.js"

export const SYMBOLS = [["eta0", "η₀"], ["eta", "η"], ["sigma^2", "σ²"], ["i_max", "iₘₐₓ"], ["<=", "≤"]];

export function promise_of(epoch, history, t, ceiling) {
  let distance, most, deviation, fact, basis;
  if (epoch == null) {
    return null;
  }
  [distance, [most, deviation]] = [history.latest("tv", t), ceiling];
  if ((distance == null) || (most == null)) {
    [fact, basis] = ["…", "The target is not known yet, so nothing is measured."];
  } else {
    fact = `TV ${py.format(distance, ".3f")}`;
    basis = `Mean total variation of the marginals over the last 16 epochs, one minus the accuracy; as many exact draws would score ${py.format(1 - most, ".3f")} ± ${py.format(deviation, ".3f")}. At most the joint one, up to that noise.`;
  }
  return new Promise({rows: [["promised, noise as measured", _value(epoch.measured), _measured_help(epoch)], ["promised, noise of the ball", _value(epoch.in_ball), _ball_help(epoch)], ["what is so", fact, basis]], note: _note(epoch)});
}

export function _value(certificate) {
  return `TV ≤ ${py.format(Math.ceil((certificate.value * 100) - 1e-09) / 100, "g")}`;
}

export function _measured_help(epoch) {
  let certificate;
  certificate = epoch.measured;
  if (py.truthy(certificate.conditions)) {
    return `Epoch ${py.format(epoch.t, ",")}: ${py.str(_tidy(certificate.words))}`;
  }
  return `Epoch ${py.format(epoch.t, ",")}, in KL: start ${py.str(short(certificate.start))}, step size ${py.str(short(certificate.step))}, noise ${py.str(short(certificate.noise))}. W₂ = ${py.str(short(epoch.wasserstein))} is measured from where the chains started, σ² = ${py.str(short(epoch.variance))} on ${py.str(epoch.chains)} of them wherever they ended, so that there is no ball to leave.${py.str(py.truthy(epoch.whitened) ? " All lengths are in each chain’s own metric." : "")}`;
}

export function _ball_help(epoch) {
  let certificate;
  certificate = epoch.in_ball;
  if (py.truthy(certificate.conditions)) {
    return `Epoch ${py.format(epoch.t, ",")}: ${py.str(_ball_condition(epoch))}`;
  }
  return `Epoch ${py.format(epoch.t, ",")} as the theorem goes: Lemma 6.2 bounds the noise in the ball of radius R, with D as measured (noise ${py.str(short(certificate.noise))} in KL), and ${py.format(100 * certificate.exit, ".2g")} % of the chains left it. ${py.str(_tidy(certificate.words))}`;
}

export function _ball_condition(epoch) {
  let words;
  words = epoch.in_ball.words;
  if (words.startsWith("variance")) {
    return "Lemma 6.2 bounds the noise of refreshed, cached gradients only, and not in a metric.";
  }
  return _tidy(words);
}

export function _note(epoch) {
  return py.or(_tidy(epoch.measured.words), () => "Measured: W₂, σ². Certified: η, L.");
}

export function _tidy(words) {
  let plain, symbol;
  if (words.startsWith("smoothness")) {
    return "The terms have no finite smoothness L, or none that is known: the theorem promises nothing.";
  }
  if (words.startsWith("wasserstein")) {
    return "The target is not known yet, so the start’s distance W₂ is not: nothing is promised.";
  }
  for ([plain, symbol] of py.iter(SYMBOLS)) {
    words = words.replaceAll(plain, symbol);
  }
  return words;
}
