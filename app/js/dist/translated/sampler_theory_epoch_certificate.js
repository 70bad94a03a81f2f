// Translated from sampler/theory/epoch_certificate.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const VACUOUS = 0.9999;

export const INPUTS = {"wasserstein": "W2(start, pi)", "variance": "sigma^2", "smoothness": "L", "exit_probability": "P(exit)"};

export class EpochCertificate {
  constructor({value = py.missing("EpochCertificate.value"), exit = py.missing("EpochCertificate.exit"), start = py.missing("EpochCertificate.start"), step = py.missing("EpochCertificate.step"), noise = py.missing("EpochCertificate.noise"), lemma = py.missing("EpochCertificate.lemma"), measured = py.missing("EpochCertificate.measured"), certified = py.missing("EpochCertificate.certified"), conditions = py.missing("EpochCertificate.conditions")} = {}) {
    Object.assign(this, {value, exit, start, step, noise, lemma, measured, certified, conditions});
  }
  get divergence() {
    return np.add(np.add(this.start, this.step), this.noise);
  }
  get words() {
    let parts, worst;
    if (np.less(this.value, VACUOUS)) {
      return "";
    }
    if (py.truthy(this.conditions)) {
      return np.at(this.conditions, 0);
    }
    parts = ({"the exit probability: raise r, or lower eta or n": this.exit, "the start: raise i_max, or start nearer": Math.sqrt(np.divide(this.start, 2.0)), "the step size: lower eta0": Math.sqrt(np.divide(this.step, 2.0)), "the gradient's noise: lower eta0, or raise b": Math.sqrt(np.divide(this.noise, 2.0))});
    worst = py.max(parts, {key: (name) => np.at(parts, name)});
    return `The bound is vacuous, TV <= 1; its largest part is ${py.str(worst)}.`;
  }
}

export function epoch_certificate(dim, step_size, i_max, wasserstein, variance, smoothness, exit_probability, random_length = true, measured = []) {
  let d, eta, n, inputs, name, values, conditions, L, estimates, proved, W2, sigma2, leave, start, step, noise, printed;
  d = dim;
  eta = step_size;
  n = i_max;
  inputs = ({smoothness: smoothness, wasserstein: wasserstein, variance: variance, exit_probability: exit_probability});
  random_length = random_length;
  for (name of py.iter(measured)) {
  }
  values = Object.fromEntries(py.items(inputs).map(([name, value]) => [name, ((value == null) || (py.truthy((value === Infinity)))) ? Infinity : value]));
  conditions = py.items(values).filter(([name, value]) => np.equal(value, Infinity)).map(([name, value]) => `${py.str(name)} is not known (${py.str(np.at(INPUTS, name))}): the bound is 1.`);
  L = np.at(values, "smoothness");
  if (np.less(L, Infinity) && (np.greater((np.multiply(eta, L)), 1.0))) {
    conditions.push(`eta = ${py.format(eta, "g")} is above 1/L = ${py.format(np.divide(1, L), "g")}, the limit of the lemma: the bound is 1.`);
  }
  if (!py.truthy(random_length)) {
    conditions.push("The lemma bounds a sample at a random step of the epoch; after a fixed number of steps the bound is 1. Turn the random length on.");
  }
  [estimates, proved] = [true, false].map((wanted) => py.tuple(py.iter(INPUTS).filter((name) => (np.equal((py.contains(measured, name)), wanted)) && (np.less(np.at(values, name), Infinity)))));
  if (py.truthy(conditions)) {
    return new EpochCertificate({value: 1.0, exit: py.min([np.at(values, "exit_probability"), 1.0]), start: Infinity, step: Infinity, noise: Infinity, lemma: 1.0, measured: estimates, certified: proved, conditions: py.tuple(conditions)});
  }
  [W2, sigma2, leave] = [np.power(np.at(values, "wasserstein"), 2), np.at(values, "variance"), np.at(values, "exit_probability")];
  [start, step, noise] = [np.divide(W2, np.multiply(np.multiply(2.0, eta), n)), np.multiply(np.multiply(eta, L), d), np.multiply(np.multiply(np.multiply(0.5, eta), sigma2), np.add(1.0, np.multiply(eta, L)))];
  printed = py.max([np.multiply(np.multiply(2.0, eta), np.add(np.multiply(L, d), sigma2)), np.divide(W2, np.multiply(eta, n))]);
  return new EpochCertificate({value: py.min([np.add(leave, Math.sqrt(np.multiply(0.5, np.add(np.add(start, step), noise)))), 1.0]), exit: leave, start: start, step: step, noise: noise, lemma: py.min([np.add(leave, Math.sqrt(np.multiply(0.5, printed))), 1.0]), measured: estimates, certified: proved, conditions: []});
}

export function coupling_distance(start, mean, covariance) {
  start = start;
  mean = mean;
  covariance = covariance;
  if (np.less(np.trace(covariance), 0)) {
    throw new py.PythonError("ValueError", `covariance must have a trace of 0 or more, got ${py.format(np.trace(covariance), "g")}; measure it from draws`);
  }
  return py.float(np.sqrt(np.add((np.power(np.subtract(start, mean), 2)).sum({axis: 1}).mean(), np.trace(covariance))));
}
