// Translated from app/live/plotted_plane.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {ROUNDING} from "./app_live_run_state.js"
import {PLAIN} from "./sampler_algorithms_algorithm_names.js"

export const ZOOM = 1.1;

export const ROOM = 1.4;

export const OWN_REACH = 6.5;

export const LARGEST = 1000000.0;

export function float32(values) {
  return np.clip(values, np.negative(LARGEST), LARGEST).astype(np.float32);
}

export class View {
  constructor() {
    this._key = [];
  }
  look(config, t, mode, covariance, center, names, count = null) {
    let octave, reach, key, power, follows, shrunk, zoom, now, apart;
    [this.config, this.t, this.mode, this._covariance] = [config, t, mode, covariance];
    this._count = (count == null) ? t : count;
    this.bounded = py.bool(np.isfinite(covariance).all());
    this._root = py.or(Math.sqrt(np.add(this._count, config.settings.offset)), () => 1.0);
    this.scale = py.truthy(config.rescaled) ? this._root : 1.0;
    this._origin = py.truthy(config.rescaled) ? mode : np.zeros(py.len(mode));
    octave = py.bit_length(t);
    reach = np.equal(config.algorithm, PLAIN) ? 3.0 : py.min([py.max([config.acceptance_radius, 3.0]), OWN_REACH]);
    key = [octave, config.axes, config.rescaled, config.escape_radius, config.settings.offset, reach];
    [power, follows] = [np.floor_divide(1 * 2 ** octave, 2), np.less(this._count, t) && !py.truthy(config.rescaled)];
    if (np.not_equal(key, this._key)) {
      this._key = key;
      this._choose_plane(names);
      shrunk = py.truthy(config.rescaled) ? 1.0 : (py.or(Math.sqrt(np.add(py.min([power, this._count]), config.settings.offset)), () => 1.0));
      zoom = (py.truthy(follows) && np.less(this._count, power)) ? ROOM : ZOOM;
      this.half_width = np.multiply(zoom, py.max([np.divide(config.escape_radius, shrunk), np.multiply(reach, this._spread())]));
      this.center = py.truthy(config.rescaled) ? np.zeros(2) : (np.matmul(center, this.projection));
    }
    if (py.truthy(follows)) {
      now = np.matmul(mode, this.projection);
      apart = Math.hypot(py.float(np.subtract(np.at(now, 0), np.at(this.center, 0))), py.float(np.subtract(np.at(now, 1), np.at(this.center, 1))));
      if (np.greater((np.add(apart, py.max([this.radius(config.escape_radius), np.multiply(reach, this._spread())]))), this.half_width)) {
        this.center = now;
      }
    }
  }
  points(theta) {
    return np.matmul(np.multiply(np.subtract(theta, this._origin), this.scale), this.projection);
  }
  loops(loops) {
    return py.tuple(py.iter(loops).map((loop) => float32(np.multiply(np.subtract(loop, np.matmul(this._origin, this.projection)), this.scale))));
  }
  radius(radius) {
    return py.truthy(this.config.rescaled) ? radius : (np.divide(radius, this._root));
  }
  shadow(matrix) {
    let seen, inside;
    seen = np.empty([2, 2]);
    inside = np.kernels.shadow(matrix.copy(), ROUNDING, this.projection.T.copy(), seen);
    return py.truthy(inside) ? _matrix(root_of(...py.iter(_shape(seen)))) : np.full([2, 2], np.nan);
  }
  shape(covariance) {
    return np.multiply(this.scale, _matrix(root_of(...py.iter(this._seen(covariance)))));
  }
  balls(modes) {
    let radius, offset;
    if (py.truthy(this.config.rescaled)) {
      return [];
    }
    [radius, offset] = [this.config.escape_radius, this.config.settings.offset];
    return py.tuple(py.sorted(py.iter(modes).map((epoch) => py.int(epoch))).filter((t) => (np.less_equal((np.divide(this.t, 4)), t)) && np.less(t, this.t)).map((t) => [t, float32(np.matmul(np.array(np.at(modes, t)), this.projection)), np.divide(radius, py.or(Math.sqrt(np.add(py.min([t, this._count]), offset)), () => 1.0))]));
  }
  _spread() {
    if (!py.truthy(this.bounded)) {
      return this.scale;
    }
    return np.multiply(this.scale, py.or(largest_deviation(...py.iter(this._seen(this._covariance))), () => 1.0));
  }
  _seen(covariance) {
    return _shape(np.matmul(np.matmul(this.projection.T, covariance), this.projection));
  }
  _choose_plane(names) {
    let axes, dim, projection, pair;
    [axes, dim] = [this.config.axes, py.len(this.mode)];
    if (np.equal(axes, "principal") && py.truthy(this.bounded)) {
      projection = np.empty([2, dim]);
      np.kernels.widest_axes(this._covariance, projection);
      [this.projection, this.names] = [projection.T, ["widest axis", "second axis"]];
      return null;
    }
    pair = py.isinstance(axes, "tuple") ? axes : [0, 1];
    [this.projection, this.names] = [np.at(np.eye(dim), np.array(pair)).T, [np.at(names, np.at(pair, 0)), np.at(names, np.at(pair, 1))]];
  }
}

export function root_of(xx, xy, yy) {
  let mean, half, radius, large, small, level, slope;
  [mean, half] = [np.multiply(0.5, np.add(xx, yy)), np.multiply(0.5, np.subtract(xx, yy))];
  radius = Math.hypot(half, xy);
  [large, small] = [Math.sqrt(py.max([np.add(mean, radius), 0.0])), Math.sqrt(py.max([np.subtract(mean, radius), 0.0]))];
  [level, slope] = [np.multiply(0.5, np.add(large, small)), py.truthy(radius) ? (np.divide(np.multiply(0.5, np.subtract(large, small)), radius)) : 0.0];
  return [np.add(level, np.multiply(slope, half)), np.multiply(slope, xy), np.subtract(level, np.multiply(slope, half))];
}

export function largest_deviation(xx, xy, yy) {
  return Math.sqrt(py.max([np.add(np.multiply(0.5, np.add(xx, yy)), Math.hypot(np.multiply(0.5, np.subtract(xx, yy)), xy)), 0.0]));
}

export function _shape(matrix) {
  return [py.float(np.at(matrix, [0, 0])), py.float(np.at(matrix, [0, 1])), py.float(np.at(matrix, [1, 1]))];
}

export function _matrix(shape) {
  let xx, xy, yy;
  [xx, xy, yy] = shape;
  return np.array([[xx, xy], [xy, yy]]);
}

export class OwnBalls {
  constructor() {
    this._roots = np.empty([0, 2, 2]);
    this._saga = null;
    this._projection = this._checkpoints = np.empty(0);
  }
  rows(state, view, checkpoints) {
    let saga, radius, roots, force;
    saga = state.saga;
    if (!py.truthy(state.preconditioned)) {
      return null;
    }
    if ((saga !== this._saga) || (view.projection !== this._projection) || (!(py.truthy(np.array_equal(checkpoints, this._checkpoints))))) {
      this._roots = _outlines(saga, view);
      [this._saga, this._projection, this._checkpoints] = [saga, view.projection, checkpoints];
    }
    radius = py.min([saga.settings.acceptance_radius, LARGEST]);
    roots = np.multiply(np.multiply(radius, view.scale), this._roots);
    force = np.bitwise_and(saga.acceptance_in_force, saga.settings.reset);
    return float32(np.column_stack([np.at(roots, [np.slice(null, null, null), 0, 0]), np.at(roots, [np.slice(null, null, null), 0, 1]), np.at(roots, [np.slice(null, null, null), 1, 1]), force, np.full(py.len(force), radius)]));
  }
}

export function _outlines(saga, view) {
  let roots, chain;
  roots = np.empty([saga.chains, 2, 2]);
  for (chain of py.range(saga.chains)) {
    np.put(roots, chain, view.shadow(saga.acceptance_matrix(chain)));
  }
  return roots;
}
