// Translated from sampler/algorithms/chain_states.py by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
import * as np from "../../lab/numpy.js"
import {Divergence} from "./sampler_algorithms_results.js"

export class ChainStates {
  get done() {
    return this._done;
  }
  get positions() {
    return np.at(this._state.position, [np.slice(null, null, null), np.slice(null, this.dim, null)]).copy();
  }
  get checkpoints() {
    return np.at(this._state.checkpoint, [np.slice(null, null, null), np.slice(null, this.dim, null)]).copy();
  }
  get checkpoint_epoch() {
    return np.greater(this.t, 1) ? (1 * 2 ** (np.subtract(py.bit_length((np.subtract(this.t, 1))), 1))) : 0;
  }
  get warm_starts() {
    return np.at(this._state.warm_start, [np.slice(null, null, null), np.slice(null, this.dim, null)]).copy();
  }
  get was_reset() {
    return this._state.was_reset.copy();
  }
  get run_lengths() {
    let i_max;
    i_max = this.settings.i_max;
    if (!py.truthy(this.settings.random_length)) {
      return np.full(this.chains, i_max, np.int64);
    }
    return np.minimum(np.add(1, (np.multiply(this._state.length_draw, i_max)).astype(np.int64)), i_max);
  }
  get steps_done() {
    return this._state.steps_done.copy();
  }
  watch(center) {
    if (center == null) {
      this._center = np.empty(0);
      return null;
    }
    center = np.asarray(center, py.float);
    if (np.not_equal(center.shape, [this.dim]) || (!(py.truthy(np.all(np.isfinite(center)))))) {
      throw new py.PythonError("ValueError", `center must be ${py.str(this.dim)} finite numbers, got shape ${py.str(center.shape)}`);
    }
    this._center = np.zeros(np.at(this._state.position.shape, 1));
    np.put(this._center, np.slice(null, this.dim, null), center);
    np.put(this._state.farthest, np.slice(null, null, null), (np.power(np.subtract(this._state.position, this._center), 2)).sum({axis: 1}));
  }
  get farthest() {
    return this._state.farthest.copy();
  }
  get diverged() {
    return np.greater(this._state.diverged_epoch, 0);
  }
  get divergence() {
    let chains, epochs, steps, first;
    chains = np.flatnonzero(this.diverged);
    if (!py.truthy(chains.size)) {
      return null;
    }
    [epochs, steps] = [np.at(this._state.diverged_epoch, chains), np.at(this._state.diverged_step, chains)];
    first = np.at(np.lexsort([steps, epochs]), 0);
    return new Divergence({chain: py.int(np.at(chains, first)), epoch: py.int(np.at(epochs, first)), step: py.int(np.at(steps, first))});
  }
  restart_diverged() {
    let chains, k;
    chains = np.flatnonzero(this.diverged);
    for (k of py.iter(chains)) {
      np.put(this._state.position, k, np.at(this._state.checkpoint, k));
      this._rebuild(py.int(k));
      np.put(this._state.diverged_epoch, k, 0);
      np.put(this._state.steps_done, k, np.at(this.run_lengths, k));
    }
    return py.len(chains);
  }
  _rebuild(chain) {
  }
}
