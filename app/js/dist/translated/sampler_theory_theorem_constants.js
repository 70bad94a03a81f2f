// Translated from sampler/theory/theorem_constants.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export class TheoremConstants {
  constructor({eta0 = py.missing("TheoremConstants.eta0"), i_max = py.missing("TheoremConstants.i_max"), acceptance_radius = py.missing("TheoremConstants.acceptance_radius"), escape_radius = py.missing("TheoremConstants.escape_radius"), batch_size = py.missing("TheoremConstants.batch_size"), eps1 = py.missing("TheoremConstants.eps1"), eps2 = py.missing("TheoremConstants.eps2"), C1 = py.missing("TheoremConstants.C1")} = {}) {
    Object.assign(this, {eta0, i_max, acceptance_radius, escape_radius, batch_size, eps1, eps2, C1});
  }
}

export function theorem_constants(horizon, epsilon, dim, smoothness, concentration, drift, amplitude = 1.0) {
  let T, eps, d, L, k, D, A, eps1, eps2, C1, reach, logarithm, R, eta0, i_max;
  T = horizon;
  eps = epsilon;
  d = dim;
  L = smoothness;
  k = concentration;
  D = drift;
  A = amplitude;
  eps1 = np.divide(eps, np.multiply(3.0, T));
  eps2 = np.divide(eps, np.multiply(3.0, Math.ceil(np.add(Math.log2(T), 1.0))));
  C1 = np.divide(py.max([Math.log(np.divide(A, eps1)), 0.0]), k);
  reach = np.add(C1, D);
  logarithm = Math.log(py.max([L, np.divide(d, L), reach, np.divide(1.0, eps1)]));
  R = np.multiply(100.0, py.max([np.multiply(Math.sqrt(np.divide(d, L)), Math.sqrt(logarithm)), reach]));
  eta0 = np.divide(np.power((eps2), 2), np.multiply(np.multiply(2, np.power((L), 2)), np.power((R), 2)));
  i_max = Math.ceil(np.divide(np.multiply(20, np.power((reach), 2)), np.multiply(eta0, np.power((eps2), 2))));
  return new TheoremConstants({eta0: py.float(eta0), i_max: i_max, acceptance_radius: np.multiply(2.5, reach), escape_radius: R, batch_size: 9, eps1: eps1, eps2: eps2, C1: C1});
}

export function theorem_rates(horizon, epsilon, dim, smoothness, concentration, drift, amplitude = 1.0) {
  let point, own, here, doubled;
  point = ({horizon: horizon, epsilon: epsilon, dim: dim, smoothness: smoothness, concentration: concentration, drift: drift});
  own = ({...point, amplitude: amplitude});
  here = theorem_constants(...py.taken(own, ["horizon", "epsilon", "dim", "smoothness", "concentration", "drift", "amplitude"])).i_max;
  doubled = Object.fromEntries(py.items(point).map(([name, value]) => [name, theorem_constants(...py.taken(({...own, [name]: np.multiply(2, value)}), ["horizon", "epsilon", "dim", "smoothness", "concentration", "drift", "amplitude"])).i_max]));
  return Object.fromEntries(py.items(doubled).map(([name, steps]) => [name, Math.log2((steps / here))]));
}
