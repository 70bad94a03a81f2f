// What is measured at the end of an epoch, and what the verdict is made from. As `app/live/epoch_measures.py`.

import * as rules from "../dist/translated/app_live_measure_rules.js"
import {Forecast, gradientVariance, largestCurvature} from "./noise.js"
import {knobsDiffer, octaveOf, settingsOf} from "./run_state.js"

export class Measures {
  #kernels
  #history
  #since // (t) -> {knobs, resets, exits}: epochs after which each measure counts
  #forecast
  #cloud = null // state of its kernel
  #predicted = null
  #config = null // when the prediction was made

  constructor(kernels, problem, history, since) {
    this.#kernels = kernels
    this.#history = history
    this.#since = since
    this.#forecast = new Forecast(kernels, problem)
    this.pooling = true // false far from the end of a replay, whose pool nobody will see
  }

  /** Measure the epoch that has just ended and record it, unless history has it already (a replay). */
  finish(state) {
    const {saga, target, t, sound} = state, samples = saga.positions()
    this.#forecast.add(saga, target)
    if (target.known && this.pooling) state.pool.add(t, target.uniforms(samples), target.scores(samples), sound)
    if (t <= this.#history.t) return // a replay: recorded when it was lived
    const values = {...this.#cloudOf(state, samples), ...this.#pooled(state.pool)}
    if (!state.halted) this.#measureSeldom(state, values)
    this.#history.record(t, values)
  }

  #cloudOf({saga, target, sound, t, escape_distance}, samples) {
    const cloud = this.#cloud ??= this.#kernels.state(["measure_cloud"], {K: saga.chains, d: saga.dim}, [saga.state])
    cloud.lenders = [saga.state]
    cloud.set("samples", samples)
    cloud.set("sound", sound)
    cloud.set("mode", target.mode)
    this.#kernels.call("measure_cloud", cloud, {square: escape_distance ** 2})
    const [count, farthest, exits] = cloud.array("result"), [evaluations, , , steps] = saga.counts
    return {exits, resets: saga.wasReset().filter(Boolean).length,
      ...rules.of_cloud(cloud.array("inside").slice(0, count).sort(), farthest), ...rules.of_work(t, evaluations, steps, saga.chains)}
  }

  #pooled(pool) { return pool.size ? rules.of_pool(pool.accuracy(), pool.ceiling(), pool.memory()) : {} }

  /** Predict at the end of a replay; the rest has been recorded. */
  refresh(state) { if (state.t && !state.halted) this.#predict(state) }

  #measureSeldom(state, values) {
    const {t, config} = state, {escape_radius} = config
    const turned = this.#config === null || knobsDiffer({...this.#config, escape_radius}, config)
    if (rules.is_noise_due(t, turned)) Object.assign(values, this.#variance(state))
    if (rules.is_prediction_due(t, turned)) values.predicted = this.#predict(state)
  }

  #variance(state) {
    return gradientVariance(this.#kernels, state.saga, state.problem, state.chain) ?? {}
  }

  #predict({config, saga, target, pool, chain}) {
    this.#config = config
    this.#predicted = this.#forecast.accuracy({saga, target, pool, chain})
    return this.#predicted
  }

  // reading out ----------------------------------------------------------------------------------------------------------

  /** Variance of the gradient's error over that of the injected noise, eta Var/(2 d), in the chain's own metric; or null. */
  noiseShare(state, since) {
    const {t, saga} = state, reduced = saga.settings.variance_reduction
    const span = [t, Math.min(t, this.#history.t), since.knobs] // the epoch under way has not been recorded
    return rules.noise_share(this.#history.column(reduced ? "saga" : "sgld", t), span, reduced, state.preconditioned,
      state.step_size / (2 * saga.dim))
  }

  /** Share of the followed chain's cached gradients older than t/2; 0 where they are refreshed. */
  staleShare({saga, t, chain}) {
    if (saga.settings.refresh || !t) return 0
    return saga.cachedEpochs(chain).reduce((sum, epoch) => sum + (rules.is_stale(epoch, t) ? 1 : 0), 0) / t
  }

  /** What the verdict is made from: the fields of `sampler.tuning.Measurements`. */
  measured(state) {
    const {saga, pool, t, problem} = state, history = this.#history, since = this.#since(t)
    const [window, resets_window, own] = rules.windows(t, since)
    const [width_bias, lag, narrowness] = pool.size ? pool.shape() : [null, null, null]
    const [ceiling, ceiling_sd] = pool.size ? pool.ceiling() : [null, 0]
    const curvature = largestCurvature(this.#kernels, saga, state.target, state.chain)
    return {
      settings: settingsOf(saga.settings), t, chains: saga.chains,
      epochs: rules.epochs_judged(t, state.since, since, history, saga.chains),
      accuracy: pool.size ? pool.accuracy() : null, ceiling, ceiling_sd, predicted: this.#predicted, width_bias, narrowness,
      dim: saga.dim, draws: pool.size, pairs: pool.pairs, noise_share: this.noiseShare(state, since),
      memory: pool.size ? pool.memory() : null, lag, resets: history.count("resets", t, resets_window),
      exits: window ? history.count("exits", t, window) : null, window, resets_window, own_checkpoint: own,
      checkpoint_epoch: t > 1 ? octaveOf(t - 1) : 0,
      stale_share: this.staleShare(state), reference_draws: null, reference_epoch: null, diverged: state.divergence,
      diverged_chains: state.lost, largest_curvature: curvature,
      largest_eta0: rules.largest_eta0(saga.settings.eta0, state.step_size, curvature),
      algorithm: state.config.algorithm, advised: problem.advised?.[state.config.algorithm] ?? null,
    }
  }
}
