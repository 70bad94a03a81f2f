// Translated from sampler/theory/moving_mode_bound.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {best_partition, walk_back} from "./sampler_theory_block_bounds.js"
import {exit_bounds} from "./sampler_theory_exit_bounds.js"

export const GRID = 800;

export const GROWTHS = np.geomspace(0.01, 10.0, 16);

export const TILTS = np.geomspace(0.3, 300.0, 24);

export const HOLDERS = [1.3, 1.7, 2.0, 3.0];

export const PARTS = [0.5, 1.0, 2.0, 4.0];

export const RARE = 0.001;

export class Leg {
  constructor({step_size = py.missing("Leg.step_size"), steps = py.missing("Leg.steps"), radius = py.missing("Leg.radius"), shift = null, noise_bound = 0.0, smoothness = null, strong_convexity = null, acceptance = null} = {}) {
    Object.assign(this, {step_size, steps, radius, shift, noise_bound, smoothness, strong_convexity, acceptance});
  }
}

export class MovingModeBound {
  constructor({by_epoch = py.missing("MovingModeBound.by_epoch"), total = py.missing("MovingModeBound.total"), conditions = []} = {}) {
    Object.assign(this, {by_epoch, total, conditions});
  }
}

export class EpochStart {
  constructor({epoch = py.missing("EpochStart.epoch"), first = py.missing("EpochStart.first"), grid = py.missing("EpochStart.grid"), started = py.missing("EpochStart.started")} = {}) {
    Object.assign(this, {epoch, first, grid, started});
  }
}

export function stream_bound(dim, legs, start, resets, exit_bound) {
  let leg, rho, epochs, shifts, bounded, smallest, widest, grid, started, chances, checkpoint, away, failed, t, epoch, is_bounded, shift, ended, exponent, cost, moved, A, odds, by_epoch;
  legs = legs;
  for (leg of py.iter(legs)) {
  }
  resets = resets;
  rho = start;
  epochs = py.enumerate(legs).map(([i, leg]) => exit_bounds(dim, leg.step_size, leg.steps, leg.radius, np.equal(i, 0) ? rho : 0.0, leg.noise_bound, leg.smoothness, leg.strong_convexity));
  shifts = py.iter(legs).map((leg) => leg.shift);
  bounded = py.enumerate(epochs).map(([i, epoch]) => (py.and(epoch.stable, () => (np.equal(i, 0) || (np.at(shifts, i) != null)))));
  [smallest, widest] = [py.min(py.iter(legs).map((leg) => leg.step_size)), py.max(py.iter(legs).map((leg) => leg.radius))];
  grid = np.geomspace(np.divide(0.001, np.power(widest, 2)), np.divide(1.0, np.multiply(4.0, smallest)), GRID);
  started = np.multiply(grid, np.power(rho, 2));
  [chances, checkpoint, away, failed] = [[], started, 0.0, 0.0];
  for ([t, [epoch, is_bounded, shift]] of py.enumerate(py.zip(epochs, bounded, [...py.iter(np.at(shifts, np.slice(1, null, null))), null]), 1)) {
    chances.push(py.truthy(is_bounded) ? py.min([np.add(failed, exit_bound(new EpochStart({epoch: epoch, first: np.equal(t, 1), grid: grid, started: started}))), 1.0]) : 1.0);
    failed = 0.0;
    ended = np.multiply(grid, np.power(epoch.radius, 2));
    if (py.truthy(is_bounded)) {
      [exponent, cost] = path_back(epoch, grid, np.array([epoch.steps]));
      ended = np.fmin(ended, np.add(np.at(cost, 0), chord(np.at(exponent, 0), grid, started)));
    }
    if (np.equal((np.bitwise_and(t, np.subtract(t, 1))), 0)) {
      [checkpoint, away] = [ended, 0.0];
    }
    if (shift == null) {
      away = np.inf;
      continue;
    }
    [started, away] = [_shift(ended, grid, shift), np.add(away, shift)];
    if (py.truthy(resets) && (np.not_equal((np.bitwise_and(t, np.subtract(t, 1))), 0))) {
      [moved, A] = [_shift(checkpoint, grid, away), np.at(legs, t).acceptance];
      odds = (A == null) ? 1.0 : _reset_probability(moved, started, grid, A);
      failed = np.less(odds, RARE) ? odds : 0.0;
      started = np.less(odds, RARE) ? started : np.logaddexp(started, moved);
    }
  }
  by_epoch = np.array(chances);
  return new MovingModeBound({by_epoch: by_epoch, total: np.minimum(np.cumsum(by_epoch), 1.0), conditions: py.tuple(_conditions(epochs, shifts))});
}

export function* _conditions(epochs, shifts) {
  let i, epoch, shift, condition;
  for ([i, [epoch, shift]] of py.enumerate(py.zip(epochs, shifts))) {
    if (np.greater(i, 0) && (shift == null)) {
      yield `Epoch ${py.str(np.add(i, 1))}: shift is not given, and a move of the mode can put the chain outside: the bound is 1. Give how far the mode moved, 0 if it did not.`;
    }
    for (condition of py.iter(epoch.conditions)) {
      yield `Epoch ${py.str(np.add(i, 1))}: ${py.str(condition)}`;
    }
  }
}

export function path_back(epoch, theta, at) {
  return walk_back(theta, at, epoch.dim, epoch.step_size, epoch.contraction, epoch.noise_bound);
}

export function chord(t, grid, values) {
  return np.interp(t, np.append(0.0, grid), np.append(0.0, values), {right: np.inf});
}

export function _shift(ended, grid, shift) {
  let grown;
  if (np.equal(shift, 0.0)) {
    return ended;
  }
  grown = chord(np.multiply(np.at(grid, [np.slice(null, null, null), null]), np.add(1.0, GROWTHS)), grid, ended);
  return (np.add(grown, np.multiply(np.multiply(np.at(grid, [np.slice(null, null, null), null]), np.add(1.0, np.divide(1.0, GROWTHS))), np.power(shift, 2)))).min(1);
}

export function _reset_probability(checkpoint, stay, grid, acceptance) {
  let f, best, h, p, q, logs;
  f = np.divide(TILTS, np.power(acceptance, 2));
  best = 0.0;
  for (h of py.iter(PARTS)) {
    for (p of py.iter(HOLDERS)) {
      q = np.divide(p, np.subtract(p, 1.0));
      logs = np.add(np.divide(chord(np.multiply(np.multiply(p, np.add(1.0, np.divide(1.0, h))), f), grid, checkpoint), p), np.divide(chord(np.multiply(np.multiply(q, np.add(1.0, h)), f), grid, stay), q));
      best = py.min([best, py.float(np.nanmin(np.append(np.subtract(logs, np.multiply(f, np.power(acceptance, 2))), 0.0)))]);
    }
  }
  return py.float(np.exp(best));
}

export function block_exit_bound(begun) {
  let epoch, grid, started, logs, blocks;
  [epoch, grid, started] = [begun.epoch, begun.grid, begun.started];
  logs = (ends, lengths) => {
    let back, at, where, exponent, cost, paid, held, values;
    back = np.where(np.bitwise_and(np.equal(ends, lengths), !py.truthy(begun.first)), lengths, np.subtract(lengths, 1));
    [at, where] = np.unique(np.concatenate([ends, back]), {return_inverse: true});
    [exponent, cost] = path_back(epoch, grid, at);
    paid = np.at((np.add(chord(exponent, grid, started), cost)), np.at(where, np.slice(null, ends.size, null)));
    held = np.at((np.add(np.multiply(exponent, np.power(epoch.radius, 2)), cost)), np.at(where, np.slice(ends.size, null, null)));
    values = np.subtract(paid, np.minimum(np.multiply(grid, np.power(epoch.radius, 2)), held));
    np.put(values, np.invert(np.isfinite(values)), np.inf);
    return values.min(1);
  };
  blocks = py.float(np.at(best_partition(epoch.steps, np.array([epoch.steps]), 1.0, logs), 0));
  return py.truthy(begun.first) ? py.min([blocks, epoch.local]) : blocks;
}
