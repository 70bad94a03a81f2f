// Translated from sampler/tuning/verdicts/rules.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import {above, below, whole_steps} from "./sampler_tuning_settings_grid.js"
import {ACCURACY_MARGIN, LAG_LIMIT, LARGEST_BATCH, NOISE_LIMIT, SHORT_STEP, STALE_LIMIT, Verdict, WIDTH_LIMIT, amount, limit_words, more_steps} from "./sampler_tuning_verdicts_measurements.js"

export function diverged(m) {
  let chain, epoch, step, others, product, why, change, offer, eta0;
  if (m.diverged == null) {
    return null;
  }
  [chain, epoch, step] = m.diverged;
  others = (m.diverged_chains > 1) ? `, followed by ${py.str(m.diverged_chains - 1)} more` : "";
  if ((m.largest_curvature != null) && Number.isFinite(m.largest_curvature)) {
    product = m.step_size(epoch) * m.largest_curvature;
    why = `The step times the largest curvature is ${py.format(product, ".2g")}; `;
    if (product >= 2) {
      why = why + "from 2 on, each step overshoots by more than it corrects.";
    } else {
      why = why + "below 2 at the mode, but curvature or noise was larger at the chain's position.";
    }
  } else {
    why = "The step was too long for the curvature at the chain's position.";
  }
  [change, offer] = [null, "Lower η₀, then revive."];
  if ((m.largest_eta0 != null) && Number.isFinite(m.largest_eta0)) {
    eta0 = below(py.min([m.largest_eta0, m.settings.eta0 / 2]));
    [change, offer] = [({eta0: eta0}), `Try η₀ = ${py.format(eta0, "g")}, stable with a margin, then revive.`];
  }
  return new Verdict({kind: "diverged", title: "Diverged", subtitle: "a chain diverged and was stopped", sentence: `Chain ${py.str(chain)} diverged at epoch ${py.format(epoch, ",")}, step ${py.format(step, ",")}${py.str(others)}. ${py.str(why)}`, suggestion: offer, change: change});
}

export function resets(m) {
  let verdict, counted, sentence, advised, radius;
  if ((!(py.truthy(m.settings.reset) && py.truthy(m.own_checkpoint))) || (m.reset_rate <= m.limits["resets"])) {
    return null;
  }
  if (py.truthy(m.long_step)) {
    verdict = hot(m);
    if (verdict != null) {
      return verdict;
    }
  }
  counted = (m.resets_window == null) ? m.window : m.resets_window;
  sentence = `${py.format(m.resets, ",.0f")} resets in the last ${py.format(counted, ",")} epochs of ${py.format(m.chains, ",")} chains, ${py.format(100 * m.reset_rate, ".2g")} % of a chain's epochs; the limit is ${py.str(limit_words("resets", m.limits["resets"]))}. Each returns a chain to its position at epoch ${py.format(m.checkpoint_epoch, ",")}.`;
  if (py.truthy(m.drifts)) {
    return new Verdict({kind: "resets", title: "Resets too often", subtitle: "the target leaves the acceptance ball", sentence: `${py.str(sentence)} The target drifts, and a ball that shrinks as 1/sqrt(t + c) contains it only temporarily.`, suggestion: "Switch resets off: chains follow the mode without them. Doubling C' suffices only until t has quadrupled.", change: ({reset: false})});
  }
  advised = (m.advised != null) ? m.advised.acceptance_radius : 0.0;
  radius = (advised > m.settings.acceptance_radius) ? advised : above(1.4 * m.settings.acceptance_radius);
  return new Verdict({kind: "resets", title: "Resets too often", subtitle: "the acceptance ball is tight", sentence: sentence, suggestion: `Try C' = ${py.format(radius, "g")}.`, change: ({acceptance_radius: py.float(radius)})});
}

export function noisy(m) {
  let noise, amount, wider, batch;
  noise = m.noise_share;
  if ((noise == null) || (noise <= NOISE_LIMIT)) {
    return null;
  }
  amount = (noise >= 2) ? `${py.format(noise, ".1f")} ×` : `${py.format(100 * noise, ".0f")} % of`;
  if (!py.truthy(m.settings.variance_reduction)) {
    return new Verdict({kind: "noisy", title: "Too noisy", subtitle: "the gradient is estimated without variance reduction", sentence: `Without variance reduction the gradient noise is ${py.str(amount)} the injected noise and still growing.`, suggestion: "Switch variance reduction back on.", change: ({variance_reduction: true})});
  }
  if (m.stale_share > STALE_LIMIT) {
    return _stale("the cache is stale", `${py.format(100 * m.stale_share, ".0f")} % of the cached gradients are older than half the stream; the gradient noise is ${py.str(amount)} the injected noise.`);
  }
  wider = ((m.width_bias != null) && (m.width_bias > WIDTH_LIMIT)) ? m.width_bias : null;
  batch = Math.ceil(above((m.settings.batch_size * noise) / (0.5 * NOISE_LIMIT)));
  if ((wider != null) && ((noise < wider) || py.truthy(m.long_step) || (batch > LARGEST_BATCH))) {
    return null;
  }
  return new Verdict({kind: "noisy", title: "Too noisy", subtitle: "the batch is small for this step", sentence: `The gradient noise is ${py.str(amount)} the injected noise: b = ${py.str(m.settings.batch_size)} is small for η₀ = ${py.format(m.settings.eta0, "g")}.`, suggestion: `b = ${py.format(batch, "g")} would reduce it to about ${py.format(((100 * noise) * m.settings.batch_size) / batch, ".0f")} %.`, change: ({batch_size: batch})});
}

export function stale(m) {
  if (py.truthy(m.settings.refresh) || !py.truthy(m.settings.variance_reduction) || (m.stale_share <= STALE_LIMIT)) {
    return null;
  }
  return _stale("the cache is becoming stale", `Without refresh about ${py.format(100 * m.stale_share, ".0f")} % of the cached gradients are older than half the stream. The noise they add is still small.`);
}

export function _stale(subtitle, sentence) {
  return new Verdict({kind: "stale", title: "Stale gradients", subtitle: subtitle, sentence: sentence, suggestion: "Switch the refresh of stale gradients on.", change: ({refresh: true})});
}

export function cold(m) {
  let sentence, factor, room, advised, eta0, subtitle, steps;
  if ((m.memory == null) || (m.memory <= m.limits["memory"]) || (!(py.truthy(m.has_noise("memory"))))) {
    return null;
  }
  sentence = `After an epoch a chain still remembers ${py.format(100 * m.memory, ".0f")} % of its start, so X^t is not a fresh sample; the limit is ${py.str(limit_words("memory", m.limits["memory"]))}.`;
  if ((m.accuracy != null) && (m.ceiling != null) && (m.accuracy >= (m.ceiling - ACCURACY_MARGIN))) {
    sentence = sentence + ` Accuracy, ${py.format(m.accuracy, ".3f")} of ${py.format(m.ceiling, ".3f")}, cannot show this: it compares each epoch separately.`;
  }
  factor = travel(0.3) / travel(m.memory);
  room = (0.5 * WIDTH_LIMIT) / py.max([py.or(m.width_bias, () => 0.0), 0.002]);
  advised = ((m.advised != null) && (m.advised.eta0 > m.settings.eta0)) ? m.advised.eta0 : null;
  eta0 = py.or(advised, () => above(m.settings.eta0 * factor));
  subtitle = "an epoch is too short to forget";
  if ((advised == null) && (factor > room)) {
    steps = whole_steps(m.settings.i_max * factor);
    return new Verdict({...py.record(["kind", "title", "subtitle", "sentence", "suggestion", "change"], ["cold", "Too cold", subtitle, sentence, ...py.iter(more_steps(m.settings, steps, "a longer step would widen the cloud"))])});
  }
  return new Verdict({kind: "cold", title: "Too cold", subtitle: subtitle, sentence: sentence, suggestion: `Raise η₀ to ${py.format(eta0, "g")}, or i_max in proportion.`, change: ({eta0: py.float(eta0)})});
}

export function travel(memory) {
  let low, high, k;
  memory = py.min([py.max([memory, 0.01]), 0.999]);
  [low, high] = [0.0, 1.0 / memory];
  while ((high - low) > 1e-12) {
    k = 0.5 * (low + high);
    [low, high] = (((-Math.expm1(-k)) / k) > memory) ? [k, high] : [low, k];
  }
  return 0.5 * (low + high);
}

export const FORGOTTEN = 0.3;

export function hot(m) {
  let width, eta0, target, limit, fell, wider, left, hope;
  width = m.width_bias;
  if ((width == null) || (width <= m.limits["width"]) || (!(py.truthy(m.has_noise("width"))))) {
    return null;
  }
  if ((m.memory != null) && (m.memory > m.limits["memory"]) && (width <= (3 * WIDTH_LIMIT))) {
    return null;
  }
  eta0 = m.settings.eta0;
  target = below(eta0 * py.max([(0.5 * WIDTH_LIMIT) / width, py.truthy(m.long_step) ? (SHORT_STEP / m.step_times_curvature) : 0.0]));
  if ((m.advised != null) && (m.advised.eta0 < eta0)) {
    target = m.advised.eta0;
  }
  limit = (width < 2) ? `; the limit is ${py.str(limit_words("width", m.limits["width"]))}` : "";
  fell = "";
  wider = (width < 2) ? `up to ${py.format(100 * width, ".0f")} % wider than` : `${py.format(1 + width, ".0f")} times as wide as`;
  if ((m.accuracy != null) && (m.ceiling != null) && (m.accuracy >= (m.ceiling - ACCURACY_MARGIN))) {
    fell = ` Width decides: accuracy, ${py.format(m.accuracy, ".3f")} of ${py.format(m.ceiling, ".3f")}, is a mean over coordinates and hardly reflects it.`;
  } else if ((m.accuracy != null) && (m.ceiling != null)) {
    fell = ` Accuracy is ${py.format(m.accuracy, ".3f")} where ${py.format(m.ceiling, ".3f")} is possible`;
    fell = fell + (((m.predicted != null) && (m.predicted >= 0)) ? `; the formula predicts ${py.format(m.predicted, ".3f")}.` : ".");
  }
  left = (width * target) / eta0;
  hope = (left < WIDTH_LIMIT) ? `: about ${py.format(100 * left, ".0f")} % too wide.` : ".";
  return new Verdict({kind: "hot", title: "Too hot", subtitle: "the step is too long for the curvature", sentence: `At η₀ = ${py.format(eta0, "g")} the cloud is ${py.str(wider)} the target${py.str(limit)}.${py.str(fell)}`, suggestion: `Try η₀ = ${py.format(target, "g")}${py.str(hope)}`, change: ({eta0: py.float(target)})});
}

export function narrow(m) {
  let sentence;
  if ((m.narrowness == null) || (m.narrowness <= m.limits["narrowness"]) || (!(py.truthy(m.has_noise("narrowness"))))) {
    return null;
  }
  sentence = `In at least one coordinate the cloud is ${py.str(amount("narrowness", m.narrowness))} narrower than the target; the limit is ${py.str(limit_words("narrowness", m.limits["narrowness"]))}.`;
  if ((m.memory != null) && (m.memory <= FORGOTTEN)) {
    return new Verdict({kind: "narrow", title: "Too narrow", subtitle: "the chains sample a narrower distribution", sentence: sentence + ` A long step cannot cause this, and with a memory of ${py.str(amount("memory", py.max([m.memory, 0.0])))} the chains can spread.`, suggestion: "Compare the gradient with F (data or prior counted twice?) and check the reference."});
  }
  return new Verdict({...py.record(["kind", "title", "subtitle", "sentence", "suggestion", "change"], ["narrow", "Too narrow", "the chains have not spread", sentence, ...py.iter(more_steps(m.settings, whole_steps(2 * m.settings.i_max), "more steps per epoch let the chains spread"))])});
}

export function lagging(m) {
  let verdict, steps, suggestion, change;
  if ((m.lag == null) || (m.lag <= m.limits["lag"]) || (!(py.truthy(m.has_noise("lag"))))) {
    return null;
  }
  if (py.truthy(m.long_step)) {
    verdict = hot(m);
    if (verdict != null) {
      return verdict;
    }
  }
  steps = whole_steps(m.settings.i_max * py.max([2.0, m.lag / (0.5 * LAG_LIMIT)]));
  [suggestion, change] = more_steps(m.settings, steps, "more steps per epoch");
  if ((m.memory != null) && (m.memory <= FORGOTTEN)) {
    suggestion = suggestion + " If the lag persists, compare the gradient with F: the chains do forget their start.";
  }
  return new Verdict({kind: "lagging", title: "Lagging", subtitle: "the target moves faster than the chains", sentence: `The cloud's centre is ${py.str(amount("lag", m.lag))} off the target's in at least one coordinate; the limit is ${py.str(limit_words("lag", m.limits["lag"]))}.`, suggestion: suggestion, change: change});
}

export function inaccurate(m) {
  let numbers, eta0;
  if ((m.accuracy == null) || (m.ceiling == null) || (m.accuracy >= (m.ceiling - py.max([ACCURACY_MARGIN, 3.0 * m.ceiling_sd])))) {
    return null;
  }
  numbers = `accuracy is ${py.format(m.accuracy, ".3f")} where ${py.format(m.ceiling, ".3f")} is possible`;
  if ((m.width_bias != null) && (m.width_bias > (0.5 * WIDTH_LIMIT))) {
    eta0 = below(m.settings.eta0 / 2);
    return new Verdict({kind: "hot", title: "Too hot", subtitle: "the cloud is wider than its target", sentence: `The cloud is up to ${py.format(100 * m.width_bias, ".0f")} % wider than the target: ${py.str(numbers)}.`, suggestion: `Try η₀ = ${py.format(eta0, "g")}.`, change: ({eta0: py.float(eta0)})});
  }
  return new Verdict({...py.record(["kind", "title", "subtitle", "sentence", "suggestion", "change"], ["cold", "Too cold", "the cloud has not converged to its target", `The cloud and its target differ by more than sampling noise: ${py.str(numbers)}.`, ...py.iter(more_steps(m.settings, whole_steps(2 * m.settings.i_max), "more steps per epoch"))])});
}
