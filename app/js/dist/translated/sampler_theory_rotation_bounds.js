// Translated from sampler/theory/rotation_bounds.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {geometric_time} from "./sampler_theory_block_bounds.js"

export const POINTS = 400;

export const FINER = 4;

export const SMALLEST = 0.1;

export const LARGEST = 1500.0;

export const A_DIMENSION = 6.0;

export function log_rotation_mean(dim, x) {
  let step, half, u, density, exponent, top;
  x = np.asarray(x, py.float);
  if (np.equal(dim, 1)) {
    return np.add(x, np.log(np.add(0.5, np.multiply(0.5, np.exp(np.multiply(-2.0, x))))));
  }
  step = py.min([0.1, np.divide(0.25, np.sqrt(dim))]);
  half = np.ceil(np.divide(np.add(np.add(3.0, np.divide(40.0, np.subtract(dim, 1))), np.multiply(0.5, np.log(np.add(1.0, np.divide(np.multiply(4.0, x.max()), np.subtract(dim, 1)))))), step));
  u = np.multiply(np.arange(np.negative(half), np.add(half, 1.0)), step);
  density = np.multiply(np.subtract(1.0, dim), np.add(np.abs(u), np.log(np.add(0.5, np.multiply(0.5, np.exp(np.multiply(-2.0, np.abs(u))))))));
  exponent = np.subtract(np.at(density, [null, np.slice(null, null, null)]), np.multiply(np.at(x, [np.slice(null, null, null), null]), np.at((np.divide(2.0, np.add(1.0, np.exp(np.multiply(2.0, u))))), [null, np.slice(null, null, null)])));
  top = exponent.max(1);
  return np.subtract(np.add(np.add(x, top), np.log(np.exp(np.subtract(exponent, np.at(top, [np.slice(null, null, null), null]))).sum(1))), np.log(np.exp(density).sum()));
}

export function rotation_logs(ends, lengths, dim, step_size, radius, start, contraction, noise_bound) {
  let grid, mean, x, here, end, back, cost, log_k, at_back, level, begun, paid;
  grid = np.append(np.zeros(1), np.geomspace(SMALLEST, np.add(LARGEST, np.multiply(A_DIMENSION, dim)), np.multiply(POINTS, FINER)));
  mean = log_rotation_mean(dim, grid);
  [x, here] = [np.at(grid, np.slice(FINER, null, FINER)), np.at(mean, np.slice(FINER, null, FINER))];
  [end, back] = [np.at(np.asarray(ends, py.float), [np.slice(null, null, null), null]), np.subtract(np.at(np.asarray(lengths, py.float), [np.slice(null, null, null), null]), 1.0)];
  cost = np.multiply(np.multiply(step_size, np.add(1.0, np.multiply(np.multiply(0.5, step_size), np.power(noise_bound, 2)))), np.power(np.at((np.divide(x, radius)), [null, np.slice(null, null, null)]), 2));
  log_k = np.log(contraction);
  at_back = np.interp((np.multiply(np.exp(np.multiply(back, log_k)), np.power(np.at(x, [null, np.slice(null, null, null)]), 2))).ravel(), np.power(grid, 2), mean).reshape(back.size, x.size);
  level = np.minimum(np.at(here, [null, np.slice(null, null, null)]), np.add(np.multiply(cost, geometric_time(back, contraction)), at_back));
  begun = np.interp((np.multiply(np.multiply(np.exp(np.multiply(np.multiply(0.5, end), log_k)), np.at(x, [null, np.slice(null, null, null)])), np.divide(start, radius))).ravel(), grid, mean);
  paid = np.add(np.multiply(cost, geometric_time(end, contraction)), begun.reshape(end.size, x.size));
  return (np.subtract(paid, level)).min(1);
}
