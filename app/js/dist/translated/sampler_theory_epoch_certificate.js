// Translated from sampler/theory/epoch_certificate.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"

export const VACUOUS = 0.9999;

export const INPUTS = {"wasserstein": "W2(start, pi)", "variance": "sigma^2", "smoothness": "L", "exit_probability": "P(exit)"};

export class EpochCertificate {
  constructor({value = py.missing("EpochCertificate.value"), exit = py.missing("EpochCertificate.exit"), start = py.missing("EpochCertificate.start"), step = py.missing("EpochCertificate.step"), noise = py.missing("EpochCertificate.noise"), lemma = py.missing("EpochCertificate.lemma"), measured = py.missing("EpochCertificate.measured"), certified = py.missing("EpochCertificate.certified"), conditions = py.missing("EpochCertificate.conditions")} = {}) {
    Object.assign(this, {value, exit, start, step, noise, lemma, measured, certified, conditions});
  }
  get words() {
    let parts, worst;
    if (this.value < VACUOUS) {
      return "";
    }
    if (py.truthy(this.conditions)) {
      return this.conditions[0];
    }
    parts = ({"the exit probability: raise r, or lower eta or n": this.exit, "the start: raise i_max, or start nearer": Math.sqrt(this.start / 2.0), "the step size: lower eta0": Math.sqrt(this.step / 2.0), "the gradient's noise: lower eta0, or raise b": Math.sqrt(this.noise / 2.0)});
    worst = py.max(parts, {key: (name) => parts[name]});
    return `The promise is empty, TV <= 1; most of it comes from ${py.str(worst)}.`;
  }
}

export function epoch_certificate(dim, step_size, i_max, wasserstein, variance, smoothness, exit_probability, random_length = true, measured = []) {
  let d, eta, n, inputs, name, values, conditions, L, estimates, proved, W2, sigma2, leave, start, step, noise, printed;
  d = dim;
  eta = step_size;
  n = i_max;
  inputs = ({smoothness: smoothness, wasserstein: wasserstein, variance: variance, exit_probability: exit_probability});
  for (name of py.iter(measured)) {
  }
  values = Object.fromEntries(py.items(inputs).map(([name, value]) => [name, ((value == null) || (py.truthy((value === Infinity)))) ? Infinity : value]));
  conditions = py.items(values).filter(([name, value]) => py.eq(value, Infinity)).map(([name, value]) => `${py.str(name)} is not known (${py.str(INPUTS[name])}): nothing is claimed (1).`);
  L = values["smoothness"];
  if ((L < Infinity) && ((eta * L) > 1.0)) {
    conditions.push(`eta = ${py.format(eta, "g")} is above 1/L = ${py.format(1 / L, "g")}, where the lemma ends: nothing is claimed (1).`);
  }
  if (!py.truthy(random_length)) {
    conditions.push("The lemma bounds a sample at a random step of the epoch; after a fixed number of steps nothing is claimed (1). Turn the random length on.");
  }
  [estimates, proved] = [true, false].map((wanted) => py.tuple(py.iter(INPUTS).filter((name) => (py.eq((py.contains(measured, name)), wanted)) && (values[name] < Infinity))));
  if (py.truthy(conditions)) {
    return new EpochCertificate({value: 1.0, exit: py.min([values["exit_probability"], 1.0]), start: Infinity, step: Infinity, noise: Infinity, lemma: 1.0, measured: estimates, certified: proved, conditions: py.tuple(conditions)});
  }
  [W2, sigma2, leave] = [values["wasserstein"] ** 2, values["variance"], values["exit_probability"]];
  [start, step, noise] = [W2 / ((2.0 * eta) * n), (eta * L) * d, ((0.5 * eta) * sigma2) * (1.0 + (eta * L))];
  printed = py.max([(2.0 * eta) * ((L * d) + sigma2), W2 / (eta * n)]);
  return new EpochCertificate({value: py.min([leave + Math.sqrt(0.5 * ((start + step) + noise)), 1.0]), exit: leave, start: start, step: step, noise: noise, lemma: py.min([leave + Math.sqrt(0.5 * printed), 1.0]), measured: estimates, certified: proved, conditions: []});
}
