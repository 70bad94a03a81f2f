// Translated from sampler/theory/block_bounds.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"

export const MOST_BLOCKS = 16384;

export const FOREVER = 1099511627776;

export const LANE_STEPS = 150000000;

export const ROUNDING = 1e-09;

export const REFINEMENTS = 10;

export const BLOCK_COST = 30;

export function geometric_time(steps, contraction) {
  let log_k;
  steps = np.asarray(steps, py.float);
  if (np.greater_equal(contraction, 1.0)) {
    return steps;
  }
  log_k = np.log(contraction);
  return np.divide(np.expm1(np.multiply(steps, log_k)), np.expm1(log_k));
}

export function noiseless_logs(ends, lengths, dim, step_size, radius, start, contraction) {
  let back, end, g_end, g_back, log_k, ratio, value, width, grid, values, centre, best, _;
  back = np.subtract(np.at(np.asarray(lengths, py.float), [np.slice(null, null, null), null]), 1.0);
  end = np.at(np.asarray(ends, py.float), [np.slice(null, null, null), null]);
  [g_end, g_back] = [geometric_time(end, contraction), geometric_time(back, contraction)];
  log_k = np.log(contraction);
  ratio = np.divide(g_back, g_end);
  value = (logit) => {
    let u, theta, w, at_back, paid;
    u = np.divide(1.0, np.add(1.0, np.exp(np.negative(logit))));
    theta = np.divide(np.subtract(1.0, u), np.multiply(np.multiply(4.0, step_size), g_end));
    w = np.subtract(1.0, np.multiply(np.subtract(1.0, u), ratio));
    at_back = np.subtract(np.multiply(np.divide(np.multiply(theta, np.exp(np.multiply(back, log_k))), w), np.power(radius, 2)), np.multiply(np.multiply(0.5, dim), np.log(w)));
    paid = np.subtract(np.multiply(np.divide(np.multiply(theta, np.exp(np.multiply(end, log_k))), u), np.power(start, 2)), np.multiply(np.multiply(0.5, dim), np.log(u)));
    return np.subtract(paid, np.minimum(np.multiply(theta, np.power(radius, 2)), at_back));
  };
  width = 0.5;
  grid = np.at(np.arange(-14.0, 14.0, width), [null, np.slice(null, null, null)]);
  values = value(grid);
  centre = np.at(np.at(grid, [0, values.argmin(1)]), [np.slice(null, null, null), null]);
  best = values.min(1);
  for (_ of py.range(5)) {
    grid = np.add(centre, np.at(np.linspace(np.negative(width), width, 9), [null, np.slice(null, null, null)]));
    values = value(grid);
    centre = np.take_along_axis(grid, np.at(values.argmin(1), [np.slice(null, null, null), null]), 1);
    best = np.minimum(best, values.min(1));
    width = np.divide(width, 4.0);
  }
  return best;
}

export function noisy_logs(ends, lengths, radius, start, path, low, high, contraction, lane_steps = LANE_STEPS) {
  let old, at, where, at_end, at_back, at_next, points, theta, best, _, exponent, cost, held, values, cells, left, right;
  old = np.greater_equal(ends, memory(contraction));
  [at, where] = np.unique(np.concatenate([ends, np.subtract(lengths, 1), np.add(np.at(ends, old), 1)]), {return_inverse: true});
  [at_end, at_back, at_next] = np.split(where, [ends.size, np.multiply(2, ends.size)]);
  points = py.int(np.clip(np.multiply(16.0, np.log(np.divide(high, low))), 96, 384));
  theta = np.geomspace(low, high, points);
  best = np.full(ends.size, np.inf);
  for (_ of py.range(REFINEMENTS)) {
    [exponent, cost] = path(theta, at);
    held = np.minimum(np.multiply(theta, np.power(radius, 2)), np.at((np.add(np.multiply(exponent, np.power(radius, 2)), cost)), at_back));
    values = np.subtract(np.add(np.multiply(np.at(exponent, at_end), np.power(start, 2)), np.at(cost, at_end)), held);
    np.put(values, old, np.add(np.at(values, old), _rest(exponent, cost, np.at(at_end, old), at_next)));
    np.put(values, np.invert(np.isfinite(values)), np.inf);
    best = np.minimum(best, values.min(1));
    cells = np.unique(values.argmin(1));
    [left, right] = [np.at(theta, np.maximum(np.subtract(cells, 1), 0)), np.at(theta, np.minimum(np.add(cells, 1), np.subtract(theta.size, 1)))];
    theta = np.unique(np.at(np.linspace(left, right, 6), np.slice(1, -1, null)));
    lane_steps = np.subtract(lane_steps, np.multiply(theta.size, np.add(py.int(np.at(at, -1)), np.multiply(BLOCK_COST, ends.size))));
    if (np.less(lane_steps, 0)) {
      break;
    }
  }
  return best;
}

export function _rest(exponent, cost, here, there) {
  let q, rest;
  q = np.divide(np.at(exponent, there), np.at(exponent, here));
  rest = np.divide(np.maximum(np.subtract(np.at(cost, there), np.at(cost, here)), 1e-15), np.subtract(1.0, q));
  return np.where(np.less(q, 1.0), rest, np.inf);
}

export function noise_search(ends, step_size, contraction, noise_bound) {
  let longest, shortest, rate;
  [longest, shortest] = geometric_time(np.array([ends.max(), ends.min()]), contraction);
  rate = np.add(np.multiply(4.0, step_size), np.multiply(2.0, np.power(np.multiply(step_size, noise_bound), 2)));
  return [np.divide(0.001, np.multiply(rate, longest)), np.divide(1.0, np.multiply(np.multiply(4.0, step_size), shortest))];
}

export function walk_back(theta, at, dim, step_size, contraction, noise_bound) {
  let exponent, cost;
  [exponent, cost] = np.empty([2, at.size, theta.size]);
  np.kernels.bounded_noise_path(theta, at, dim, step_size, contraction, noise_bound, exponent, cost);
  return [exponent, cost];
}

export function block_logs(ends, lengths, dim, step_size, radius, start, contraction, noise_bound) {
  let path, low, high;
  if (np.equal(noise_bound, 0.0)) {
    return noiseless_logs(ends, lengths, dim, step_size, radius, start, contraction);
  }
  path = (theta, at) => {
    return walk_back(theta, at, dim, step_size, contraction, noise_bound);
  };
  [low, high] = noise_search(ends, step_size, contraction, noise_bound);
  return noisy_logs(ends, lengths, radius, start, path, low, high, contraction);
}

export function probability(logs) {
  return np.where(np.greater(logs, (np.negative(ROUNDING))), 1.0, np.exp(np.minimum(logs, 0.0)));
}

export function block_counts(steps, contraction) {
  let enough;
  enough = py.min([steps, MOST_BLOCKS, py.max([64, py.int(np.multiply(np.multiply(-8.0, steps), np.log(contraction)))])]);
  return py.sorted(np.bitwise_or(new Set(py.range(np.add(py.int(np.log2(enough)), 1)).map((i) => (np.power(2, i)))), new Set([enough])));
}

export function memory(contraction) {
  return np.less(contraction, 1.0) ? py.int(np.ceil(np.divide(-46.0, np.log(contraction)))) : FOREVER;
}

export function best_partition(steps, at_steps, contraction, logs) {
  let counts, partitions, begun, blocks, short, ends, lengths, some, unique, where, chance, bounds, first, first_short, block, i, whole, part, order;
  at_steps = np.asarray(at_steps, np.int64);
  counts = block_counts(steps, contraction);
  partitions = py.iter(counts).map((c) => np.unique(np.linspace(0, steps, np.add(1, c)).round().astype(np.int64)));
  begun = py.iter(partitions).map((edges) => (np.subtract(np.searchsorted(edges, at_steps, {side: "right"}), 1)));
  blocks = py.iter(partitions).map((edges) => np.stack([np.at(edges, np.slice(1, null, null)), np.diff(edges)]));
  short = py.zip(partitions, begun).map(([edges, i]) => np.stack([at_steps, np.subtract(at_steps, np.at(edges, i))]));
  [ends, lengths] = np.concatenate(np.add(blocks, short), {axis: 1});
  ends = np.minimum(ends, np.maximum(memory(contraction), lengths));
  some = np.greater(lengths, 0);
  [unique, where] = np.unique(np.add(np.multiply(np.at(ends, some), np.add(steps, 1)), np.at(lengths, some)), {return_inverse: true});
  chance = np.zeros(ends.size);
  np.put(chance, some, np.at(probability(logs(...py.iter(np.divmod(unique, np.add(steps, 1))))), where));
  bounds = np.ones(at_steps.size);
  [first, first_short] = [0, np.total(py.iter(blocks).map((b) => np.at(b.shape, 1)))];
  for ([block, i] of py.zip(blocks, begun)) {
    whole = np.concatenate([[0.0], np.cumsum(np.at(chance, np.slice(first, np.add(first, np.at(block.shape, 1)), null)))]);
    part = np.at(chance, np.slice(first_short, np.add(first_short, at_steps.size), null));
    bounds = np.minimum(bounds, np.add(np.at(whole, i), part));
    [first, first_short] = [np.add(first, np.at(block.shape, 1)), np.add(first_short, at_steps.size)];
  }
  order = np.argsort(at_steps, {kind: "stable"});
  np.put(bounds, order, np.at(np.minimum.accumulate(np.at(np.at(bounds, order), np.slice(null, null, -1))), np.slice(null, null, -1)));
  return bounds;
}
