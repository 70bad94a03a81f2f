// Translated from sampler/tuning/verdicts/judge.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {below} from "./sampler_tuning_settings_grid.js"
import {ACCURACY_MARGIN, ENOUGH_DRAWS, LIMITS, Measurements, OLD, Verdict, WARM_UP, amount, limit_words} from "./sampler_tuning_verdicts_measurements.js"
import {cold, diverged, hot, inaccurate, lagging, narrow, noisy, resets, stale} from "./sampler_tuning_verdicts_rules.js"

export const MEANWHILE = "Meanwhile, watch the escape ball shrink.";

export const PAST = {"width": "width bias", "narrowness": "narrowness", "lag": "lag", "memory": "memory"};

export function not_finite(m) {
  let names;
  if (!py.truthy(m.not_finite)) {
    return null;
  }
  names = py.iter(m.not_finite).join(", ");
  return new Verdict({kind: "waiting", title: "Not measured", subtitle: "a measurement is not a finite number", sentence: `Not finite: ${py.str(names)}. The setting cannot be judged: a coordinate may be constant or have diverged.`, suggestion: "Check the chains' positions and the code that measures them."});
}

export function waiting(m) {
  let since;
  if ((m.counts_from != null) && np.greater(m.counts_from, m.t)) {
    return new Verdict({kind: "waiting", title: "Measuring", subtitle: "waiting for a checkpoint", sentence: `Most chains still start from checkpoints of earlier settings. The cloud counts from epoch ${py.format(m.counts_from, ",")} on, the first checkpoint of these, and is judged ${py.str(WARM_UP)} epochs later.`, suggestion: MEANWHILE});
  }
  if (np.less(m.epochs, WARM_UP)) {
    since = (np.greater(m.t, m.epochs) && np.greater(m.epochs, 0)) ? ` since epoch ${py.format(np.subtract(m.t, m.epochs), ",")}` : "";
    return new Verdict({kind: "waiting", title: "Measuring", subtitle: "too few epochs to judge", sentence: `${py.str(m.epochs)} of ${py.str(WARM_UP)} epochs${py.str(since)} are measured; ${py.str(np.subtract(WARM_UP, m.epochs))} more are needed to compare the cloud with its target.`, suggestion: MEANWHILE});
  }
  if ((m.accuracy == null) || (m.ceiling == null)) {
    return new Verdict({kind: "waiting", title: "Measuring", subtitle: "the target is being computed", sentence: "There is no reference for this target yet, so accuracy cannot be judged.", suggestion: MEANWHILE});
  }
  return null;
}

export function weak_reference(m) {
  let epoch, sentence;
  if (m.reference_draws == null) {
    return null;
  }
  epoch = py.or(m.reference_epoch, () => 0);
  if (np.less(m.reference_draws, ENOUGH_DRAWS)) {
    sentence = `The reference has ${py.format(m.reference_draws, ",.0f")} effective draws at epoch ${py.format(epoch, ",")}; ${py.format(ENOUGH_DRAWS, ",.0f")} are needed to judge.`;
  } else if (np.greater((np.subtract(m.t, epoch)), (np.multiply(OLD, m.t)))) {
    sentence = `The reference was drawn at epoch ${py.format(epoch, ",")} and the chains are at ${py.format(m.t, ",")}: too old to judge by.`;
  } else {
    return null;
  }
  return new Verdict({kind: "weak_reference", title: "Weak reference", subtitle: "the reference is too imprecise to judge by", sentence: sentence, suggestion: "Slow down or pause: the reference computation continues."});
}

export function unknown_noise(m) {
  let values, past, words;
  values = ({width: m.width_bias, narrowness: m.narrowness, lag: m.lag, memory: m.memory});
  past = py.items(values).filter(([name, value]) => (value != null) && (np.greater(value, np.at(LIMITS, name))) && (!(py.truthy(m.has_noise(name))))).map(([name, value]) => `${py.str(np.at(PAST, name))} is ${py.str(amount(name, value))}, with a limit of ${py.str(limit_words(name))} plus noise`);
  if (!py.truthy(past)) {
    return null;
  }
  words = py.iter(past).join("; ");
  return new Verdict({kind: "waiting", title: "Noise unknown", subtitle: "the number of draws was not passed", sentence: `${py.str(np.at(words, 0).toUpperCase())}${py.str(np.at(words, np.slice(1, null, null)))}. The noise depends on draws, pairs and dim of the measurements, which were not passed: this may be a fault or chance.`, suggestion: "Pass draws, pairs and dim to Measurements; infinite draws and pairs mean no noise."});
}

export const RARE = 0.01;

export function safe(m) {
  let chains, hotter, broken, exact, biased, close, noise;
  chains = np.equal(m.chains, 1) ? "1 chain agrees" : `${py.str(m.chains)} chains agree`;
  hotter = below(np.multiply(5, m.settings.eta0));
  broken = py.truthy(m.settings.variance_reduction) ? "switch variance reduction off." : "wait: noise grows with t.";
  exact = (np.greater_equal(m.accuracy, (np.subtract(m.ceiling, m.ceiling_sd)))) ? " as good as exact draws," : "";
  biased = (np.less(0.0, (np.multiply(3.0, m.ceiling_sd)))) && (np.less((np.multiply(3.0, m.ceiling_sd)), (np.subtract(m.ceiling, m.accuracy))));
  close = py.truthy(biased) ? `${py.format(ACCURACY_MARGIN, "g")} in accuracy` : "sampling noise";
  noise = py.truthy(m.ceiling_sd) ? ` ± ${py.format(m.ceiling_sd, ".3f")}` : "";
  noise = np.add(noise, np.greater(m.accuracy, m.ceiling) ? ", above it by chance" : (py.truthy(biased) ? ", a small bias" : ""));
  return new Verdict({kind: "safe", title: "Safe", subtitle: "close to its ceiling", sentence: `${py.str(chains)} with the target in ${py.str(_compared(m))},${py.str(exact)} to within ${py.str(close)}: accuracy ${py.format(m.accuracy, ".3f")} against a ceiling of ${py.format(m.ceiling, ".3f")}${py.str(noise)}.${py.str(_exits(m))}`, suggestion: `To break it: raise η₀ to ${py.format(hotter, "g")}, or ${py.str(broken)}`});
}

export function _compared(m) {
  let counted, wide, off, compared, words;
  counted = m.has_noise("width");
  [wide, off] = ["width", "lag"].map((name) => (py.truthy(counted) ? ` (to ${py.str(amount(name, np.at(m.limits, name)))})` : ""));
  compared = ["accuracy"];
  if (m.width_bias != null) {
    compared.push(np.add((m.narrowness == null) ? "largest width" : "width", wide));
  }
  if (m.lag != null) {
    compared.push(`centre${py.str(off.replaceAll("target ", ""))}`);
  }
  words = py.iter((np.greater(py.len(compared), 1)) ? [py.iter(np.at(compared, np.slice(null, -1, null))).join(", "), np.at(compared, -1)] : compared).join(" and ");
  return (py.truthy(counted) || (np.equal(py.len(compared), 1))) ? words : `${py.str(words)} (noise unknown: the number of draws was not passed)`;
}

export function _exits(m) {
  let who, epochs, last, counted, share;
  if (m.exits == null) {
    return "";
  }
  who = np.equal(m.chains, 1) ? "It" : "They";
  if (np.equal(m.exits, 0)) {
    return ` ${py.str(who)} never left the escape ball in the last ${py.format(m.window, ",")} epochs.`;
  }
  epochs = np.multiply(m.chains, m.window);
  last = np.equal(m.chains, 1) ? `its last ${py.format(epochs, ",")} epochs` : `their last ${py.format(epochs, ",")} chain-epochs (${py.str(m.chains)} chains, ${py.format(m.window, ",")} epochs)`;
  counted = ` ${py.str(who)} left the escape ball in ${py.format(m.exits, ",")} of ${py.str(last)}`;
  if (np.less_equal(m.exits, (np.multiply(RARE, epochs)))) {
    return `${py.str(counted)}: the proof requires few exits, not none.`;
  }
  share = `${py.format(np.divide(np.multiply(100, m.exits), epochs), ".0f")} %`;
  return `${py.str(counted)}, ${py.str(share)}: with so small an R the proof implies little; the chains are as good.`;
}

export const _IN_ORDER = [diverged, not_finite, waiting, noisy, resets, weak_reference, unknown_noise, lagging, hot, cold, narrow, inaccurate, stale];

export function judge(measured) {
  let rule, verdict;
  for (rule of py.iter(_IN_ORDER)) {
    verdict = rule(measured);
    if (verdict != null) {
      return verdict;
    }
  }
  return safe(measured);
}
