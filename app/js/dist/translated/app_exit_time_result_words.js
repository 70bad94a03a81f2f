// Translated from app/exit_time/result_words.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {percent, scientific, share} from "./app_number_words.js"
import {lies_above} from "./app_plots_exit_probability_drawings.js"

export const USELESS = 0.9999;

export const CAPTIONS = {"survival": "A bound on <lab-term key=\"survival\">survival</lab-term> must be <b>below</b> the blue curve.", "survival_formula": "<details><summary>The formula</summary><p class='f'>LMV-a eq. 18 and 38 print <lab-math tex=\"P(\\text{exit}) \\le n\\left[e^{-\\lambda^2/(2\\Delta^2)} + e^{-(C_\\xi^2 - d)/8}\\right]\"></lab-math>. <lab-term key=\"Azuma&#x27;s inequality\">Azuma's inequality</lab-term> has <lab-math tex=\"n\\Delta^2\"></lab-math> instead of <lab-math tex=\"\\Delta^2\"></lab-math>. Here <lab-math tex=\"n = i_{\\max}\"></lab-math>, <lab-math tex=\"\\lambda\"></lab-math> is the distance to <lab-math tex=\"r^2\"></lab-math> after start and drift, <lab-math tex=\"\\Delta\"></lab-math> the <lab-term key=\"longest step\">longest step</lab-term> of the martingale, <lab-math tex=\"C_\\xi\"></lab-math> the <lab-term key=\"noise cut-off\">noise cut-off</lab-term>.</p><p class='f'>Ours: <lab-math tex=\"\\exp\\left(\\theta_i \\lVert D_i \\rVert^2 + C_i\\right)\"></lab-math> is a <lab-term key=\"supermartingale\">supermartingale</lab-term>, so <lab-math tex=\"P(\\text{exit}) \\le \\exp\\left(\\theta_0 \\rho_0^2 + C_0 - \\min_i \\left(\\theta_i r^2 + C_i\\right)\\right)\"></lab-math>: no sum over steps. <lab-math tex=\"\\theta_i\"></lab-math> is the <lab-term key=\"weight of the square\">weight of the square</lab-term>, <lab-math tex=\"C_i\"></lab-math> the <lab-term key=\"store\">store</lab-term> for the steps to come, <lab-math tex=\"D_i\"></lab-math> the <lab-term key=\"displacement\">displacement</lab-term>, <lab-math tex=\"\\rho_0\"></lab-math> the <lab-term key=\"start distance\">start distance</lab-term>.</p><p class='f'>Altschuler and Talwar (2023) follow <lab-math tex=\"\\Phi_\\ell(D) = E\\,e^{\\ell \\langle v, D \\rangle}\"></lab-math>, <lab-math tex=\"v\"></lab-math> uniform on the sphere, to bound each step separately; summed over an epoch that costs a factor <lab-math tex=\"n\"></lab-math>. Stopped like ours it does not: <lab-math tex=\"P(\\text{exit}) \\le e^{\\eta n \\ell^2 (1 + \\eta S^2/2)}\\, \\Phi_\\ell(\\rho_0)/\\Phi_\\ell(r)\"></lab-math> at the best <lab-math tex=\"\\ell\"></lab-math>, here also with the <lab-term key=\"curvature\">curvature</lab-term>. At <lab-math tex=\"S = 0\"></lab-math> it is sharper than our convex bound, since <lab-math tex=\"e^{\\theta D^2}\"></lab-math> is a mixture of such <lab-math tex=\"\\Phi_\\ell\"></lab-math>; with batch noise in many dimensions ours is sharper, since it includes <lab-math tex=\"S^2\"></lab-math> once, not in every direction.</p></details>", "sums_formula": "<details><summary>The formula</summary><p class='f'><lab-math tex=\"\\lVert D_{i+1} \\rVert^2 - \\lVert D_i \\rVert^2 = -2\\eta \\langle \\nabla F, D_i \\rangle + \\left(2\\eta d + \\eta^2 \\lVert g \\rVert^2\\right) + \\text{martingale}\"></lab-math>, <lab-math tex=\"g\"></lab-math> the gradient used by the step, <lab-math tex=\"D_i\"></lab-math> the <lab-term key=\"displacement\">displacement</lab-term>; LMV-a eq. 20 to 25, Lemma 6.3.</p></details>", "too_long": "This path is too long to be decomposed here: lower iₘₐₓ or d until iₘₐₓ × d is 3,000,000 or less.", "pushes_formula": "<details><summary>The formula</summary><p class='f'><lab-math tex=\"E\\lVert D + \\sqrt{2\\eta}\\,\\xi \\rVert^2 - \\lVert D \\rVert^2 = 2\\eta d\"></lab-math>, &nbsp; <lab-math tex=\"E\\lVert D + \\sqrt{2\\eta}\\,\\xi \\rVert - \\lVert D \\rVert \\approx \\eta(d - 1)/\\lVert D \\rVert\"></lab-math></p></details>", "process": "<b>Step 3.</b> The exponential of the <lab-term key=\"squared distance\">squared distance</lab-term> has a mean that <b>never increases</b>. For a chain that leaves it reaches its level.", "process_formula": "<details><summary>The formula</summary><p class='f'><lab-math tex=\"E[\\exp(\\theta_{i+1} D_{i+1}^2 + C_{i+1}) \\mid \\text{past}] \\le \\exp(\\theta_i D_i^2 + C_i)\"></lab-math>, <lab-math tex=\"D = \\lVert X - \\text{mode} \\rVert\"></lab-math>; <lab-math tex=\"P(\\text{exit}) \\le\"></lab-math> start ÷ level (Markov’s inequality, stopped at the exit).</p></details>", "no_process": "No single θ gives a bound below 1 for a whole epoch here. “Ours” above may still give one, with a separate θ for each block of steps. Raise r, or use fewer steps.", "promise": "<b>The other half of the proof.</b> A chain that stays where its gradients are accurate has a law close to π: the bound on the <lab-term key=\"total variation\">total variation</lab-term> must be <b>above</b> the blue curve.", "promise_formula": "<details><summary>The formula</summary><p class='f'><lab-term key=\"promise\">Promised</lab-term>: <lab-math tex=\"\\mathrm{TV} \\le P(\\text{exit}) + \\sqrt{\\tfrac{1}{2} \\left(\\frac{W_2^2}{2\\eta n} + \\eta L d + \\frac{\\eta\\sigma^2 (1 + \\eta L)}{2}\\right)}\"></lab-math>, LMV-a Lemmas 6.4 and 6.6; <lab-math tex=\"n\"></lab-math> is <lab-math tex=\"i_{\\max}\"></lab-math>, <lab-math tex=\"W_2\"></lab-math> the <lab-term key=\"Wasserstein distance\">Wasserstein distance</lab-term> of the start, <lab-math tex=\"L\"></lab-math> the largest <lab-term key=\"curvature\">curvature</lab-term>, <lab-math tex=\"\\sigma^2\"></lab-math> the <lab-term key=\"gradient variance\">gradient variance</lab-term>. The sample is taken at a random step of 1, …, <lab-math tex=\"n\"></lab-math>.</p></details>", "no_promise": "With F = 0 there is no posterior to compare with. Set the curvature m above 0, or choose Live’s posterior.", "no_live_run": "The Live page has not run in this session. Let it run and come back, or run its default here to epoch 256."};

export function chance(value) {
  if (np.less_equal(value, 0.0)) {
    return "0";
  }
  return np.greater_equal(value, 0.001) ? `${py.format(value, ".3g")}` : scientific(value);
}

export function printed_fails(result) {
  return lies_above(result.bounds.steps, result.bounds.stays("printed"), result.crowd.inside);
}

export function reading(result) {
  let sentences, crowd, bounds, best, times, much;
  sentences = [np.at(CAPTIONS, "survival")];
  if ((result == null) || (result.bounds.last("local") == null)) {
    return np.at(sentences, 0);
  }
  [crowd, bounds] = [result.crowd, result.bounds];
  if (py.truthy(printed_fails(result))) {
    sentences.push("The printed bound is above it: it omits that i<sub>max</sub> squared steps add up.");
  } else if (np.less(bounds.last("printed"), USELESS)) {
    sentences.push("The printed bound is below it here, but unproved.");
  }
  best = bounds.last("local");
  if (np.less(best, USELESS) && py.truthy(crowd.left)) {
    times = np.divide(np.multiply(best, crowd.chains), crowd.left);
    much = np.less(times, 20) ? `${py.format(times, ".1f")}` : `${py.format(times, ",.0f")}`;
    sentences.push(`Ours is ${py.str(much)} times the observed exits: the probability of leaving is at most ${py.str(chance(best))}, and ${py.str(chance(np.divide(crowd.left, crowd.chains)))} of the chains left.`);
  } else if (np.less(best, USELESS)) {
    sentences.push(`No chain of ${py.format(crowd.chains, ",")} left; our bound is ${py.str(chance(best))}.`);
  }
  if ((bounds.mixed != null) && (np.less(bounds.mixed, (np.multiply(0.98, best))))) {
    sentences.push(`One mixture over all θ instead of blocks: ${py.str(chance(bounds.mixed))}.`);
  }
  return py.iter(sentences).join(" ");
}

export function warnings(result) {
  let bounds, sentences;
  bounds = result.bounds;
  sentences = py.truthy(bounds.vacuous) ? [bounds.vacuous] : [];
  sentences = np.add(sentences, bounds.conditions);
  if (py.truthy(bounds.azuma) && !py.truthy(bounds.vacuous)) {
    sentences.push(bounds.azuma);
  }
  return [...py.iter(sentences).map((words) => tidy(words)), ...py.iter(result.notes)];
}

export function tidy(words) {
  let plain, symbol;
  for ([plain, symbol] of [["rho_0^2", "ρ₀²"], [" - ", " − "], ["r^2", "r²"], ["^2", "²"], ["<=", "≤"], ["eta0", "η₀"], ["i_max", "iₘₐₓ"]]) {
    words = words.replaceAll(plain, symbol);
  }
  return words.replace(/\beta\b/gu, "η");
}

export const STEP_TWO = "<b>Step 2 of the proof.</b>";

export const NO_PULL = "F is flat here, so there is no <lab-term key=\"pull\">pull</lab-term>; over a bowl it never points outward (convexity).";

export const PULL = "The <lab-term key=\"pull\">pull</lab-term> never points outward (convexity).";

export const DRIFT = "The <lab-term key=\"drift\">drift</lab-term> is <lab-math tex=\"2\\eta d\"></lab-math>, from the noise, the same everywhere";

export const LENGTH = "<lab-math tex=\"\\eta^2 \\lVert g \\rVert^2\"></lab-math>";

export const SURPRISE = "Only the <lab-term key=\"martingale\">martingale</lab-term> is random, with conditional mean 0.";

export const STEP_ONE = "<b>Step 1.</b> The push on the <lab-term key=\"squared distance\">squared distance</lab-term> is <lab-math tex=\"2\\eta d\"></lab-math> at every position, so one number bounds it.";

export const UNBOUNDED = "The push on <lab-math tex=\"\\lVert D \\rVert\"></lab-math>, over <lab-math tex=\"2\\eta\"></lab-math>, grows towards the mode: no number bounds it at every <lab-math tex=\"\\eta\"></lab-math>.";

export function splitting(result) {
  let sums, error, exact, pull;
  sums = (result == null) ? null : result.sums;
  error = (sums == null) ? "…" : scientific(sums.parts.error);
  exact = `They add up to the change exactly: the largest relative error of a step is ${py.str(error)}.`;
  pull = ((sums != null) && (!(py.truthy(np.any(sums.parts.pull))))) ? NO_PULL : PULL;
  return `${py.str(STEP_TWO)} ${py.str(pull)} ${py.str(DRIFT)}${py.str(_more_drift(result))}. ${py.str(SURPRISE)} ${py.str(exact)}${py.str(np.at(CAPTIONS, "sums_formula"))}`;
}

export function _more_drift(result) {
  let more;
  if ((result == null) || (result.sums == null)) {
    return `, plus a small ${py.str(LENGTH)} for the length of the step`;
  }
  more = np.subtract(np.divide(py.float(result.sums.parts.drift.max()), np.multiply(np.multiply(2, result.config.step_size), result.config.dim)), 1.0);
  if (np.less(more, 1e-09)) {
    return `; without a gradient there is no ${py.str(LENGTH)}`;
  }
  return `, plus ${py.str(LENGTH)} for the length of the step, at most ${py.str(percent(more))} of that here`;
}

export function pushing(result) {
  let d, near;
  d = (result != null) ? result.config.dim : 2;
  near = np.equal(d, 1) ? "In one dimension it is 0 except at the mode, where the distance has a kink." : UNBOUNDED;
  return `${py.str(STEP_ONE)} ${py.str(near)}${py.str(np.at(CAPTIONS, "pushes_formula"))}`;
}

export function timing(result) {
  let crowd, config, took;
  if (!py.truthy(result.complete)) {
    return "";
  }
  [crowd, config] = [result.crowd, result.config];
  took = np.greater_equal(result.seconds, 1) ? `${py.format(result.seconds, ".1f")} s` : `${py.format(np.multiply(1000, result.seconds), ".0f")} ms`;
  return `${py.format(crowd.chains, ",")} chains × ${py.format(config.steps, ",")} steps took ${py.str(took)} on one core.`;
}

export function batches(result) {
  let live, bounds, config, added, certified;
  [live, bounds] = [result.live, result.bounds];
  if ((live == null) || (bounds.batch == null)) {
    return "";
  }
  [config, added] = [result.config, ""];
  certified = np.equal(live.kind, "logistic") ? "certified over the whole ball from the features" : (np.not_equal(live.kind, "poisson") ? "exact, F being quadratic" : "taken at the mode");
  if (py.truthy(bounds.batch_added)) {
    added = ` It includes ${py.format(bounds.batch_added, "g")} for batch errors above ${py.str(scientific(bounds.batch_sbar))} (matrix Bernstein).`;
  }
  return `<b>Real batches.</b> These chains use full gradients and noise of length S = ${py.format(config.noise, ".3g")}. The error of a real batch is at most B = ${py.str(scientific(live.increment_bound))}: with S = B our bound on leaving is ${py.str(chance(bounds.loose))}; with the variance (Bennett; ◆ if in the chart’s range) it is ${py.str(chance(bounds.batch))}.${py.str(added)} <b>Certified:</b> curvature m = ${py.format(config.curvature, ".3g")}, ${py.str(certified)}. <b>Measured</b> on ${py.str(live.visited)} states visited by Live, not certified: V = ${py.str(scientific(live.variance_trace))} (√V = ${py.format(np.power(live.variance_trace, 0.5), ".3g")}), v = ${py.str(scientific(live.variance_max))}, B.`;
}

export function spoken(result) {
  let crowd, bounds, names, ends, fails;
  [crowd, bounds] = [result.crowd, result.bounds];
  names = ({printed: "the printed bound", corrected: "corrected Azuma", sharp: "our convex bound", local: "our curved bound", rotation: "Altschuler and Talwar’s"});
  ends = py.items(names).filter(([key, name]) => bounds.last(key) != null).map(([key, name]) => `${py.str(name)} ${py.str(share(np.subtract(1.0, bounds.last(key))))}`);
  fails = (py.truthy(printed_fails(result))) ? " The printed bound is above the chains: it is not a bound." : "";
  return `After ${py.format(result.config.steps, ",")} steps ${py.str(share(np.at(crowd.inside.share, -1)))} of ${py.format(crowd.chains, ",")} chains are still inside; ${py.str(py.iter(ends).join(", "))}.${py.str(fails)}`;
}

export function from_live(config, result) {
  let live, where;
  live = (result == null) ? null : result.live;
  if ((live == null) || !py.truthy(config.needs_live)) {
    return "";
  }
  where = py.truthy(live.fresh) ? "Live’s default, run here," : "Live";
  return `${py.str(live.problem)}: ${py.str(where)} at t = ${py.format(live.t, ",")}, ${py.str(py.len(live.positions))} chains.`;
}

export function measured_on(live) {
  let where;
  where = py.truthy(live.fresh) ? "its default, run here" : "as it was left";
  return `${py.str(where)}: t = ${py.format(live.t, ",")}, ${py.str(py.len(live.positions))} chains`;
}

export function crowd_caption(result) {
  let words;
  words = batches(result);
  return np.add(reading(result), py.truthy(words) ? `<p>${py.str(words)}</p>` : np.at(CAPTIONS, "survival_formula"));
}

export function process_caption(result) {
  let process;
  process = (result == null) ? null : result.process;
  return np.add(np.add(np.at(CAPTIONS, "process"), (process == null) ? "" : ` ${py.str(_here(process))}`), np.at(CAPTIONS, "process_formula"));
}

export function _here(process) {
  return `It starts at ${py.str(chance(process.start))} of the level, so at most ${py.str(chance(process.start))} of the chains reach it; ${py.format(process.left, ",")} of ${py.format(process.chains, ",")} chains did (${py.str(chance(np.divide(process.left, process.chains)))}). At the last step its logarithm grows by θr² = ${py.format(process.reach, ".1f")} from the mode to the escape line.`;
}

export function promise_caption(result) {
  let promise, read, formula, last, config, terms, so, empty, certified, start, measured;
  promise = (result == null) ? null : result.promise;
  [read, formula] = [np.at(CAPTIONS, "promise"), np.at(CAPTIONS, "promise_formula")];
  if (promise == null) {
    return np.add(read, formula);
  }
  [last, config] = [promise.last, result.config];
  if (py.truthy(last.conditions)) {
    return `${py.str(read)} ${py.str(tidy(last.words))}${py.str(formula)}`;
  }
  terms = `After n = ${py.format(config.steps, ",")} steps the bound is TV ≤ ${py.str(_short(last.value))}: exit ${py.str(_short(last.exit))}, and in KL start ${py.str(_short(last.start))}, step size ${py.str(_short(last.step))}, noise ${py.str(_short(last.noise))}.`;
  so = (promise.measured == null) ? " TV is not measured here: a posterior of more than two coordinates has no exact marginals." : ` Measured: ${py.str(_short(np.at(promise.measured, -1)))}, of which up to ${py.str(_short(promise.floor))} is noise of ${py.format(result.crowd.chains, ",")} chains.`;
  empty = py.truthy(last.words) ? ` ${py.str(tidy(last.words))}` : "";
  certified = ["η and σ² = S² (the length of these chains’ noise)", "L"];
  certified = np.add(certified, (result.bounds.last("local") != null) ? ["P(exit), our curved bound"] : []);
  start = `W₂ = ${py.str(_short(promise.wasserstein))}, ${py.str(promise.how_start)}`;
  measured = py.contains(last.measured, "wasserstein") ? ` <b>Measured:</b> ${py.str(start)}.` : "";
  if (!py.truthy(measured)) {
    certified.push(start);
  }
  return `${py.str(read)} ${py.str(terms)}${py.str(so)}${py.str(empty)} <b>Certified:</b> ${py.str(py.iter(certified).join(", "))}.${py.str(measured)}${py.str(formula)}`;
}

export function promise_spoken(promise) {
  let so;
  so = (promise.measured == null) ? "" : `; measured ${py.str(_short(np.at(promise.measured, -1)))}`;
  return `After ${py.format(np.at(promise.steps, -1), ",")} steps the total variation is at most ${py.str(_short(np.at(promise.promised, -1)))} by the theorem${py.str(so)}.`;
}

export function _short(value) {
  if (!Number.isFinite(value)) {
    return "∞";
  }
  return np.equal(value, 0) ? "0" : (np.greater_equal(value, 0.001) ? py.rstrip(py.rstrip(`${py.format(value, ".3f")}`, "0"), ".") : scientific(value));
}
