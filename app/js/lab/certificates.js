// What LMV-a Lemmas 6.4 and 6.6 promise of a run's epochs, measured on its chains as they end: `app/live/certificates.py`.
//
//   certified(kernels, problem, state)  // a CertifiedEpoch of a RunState at the end of an epoch, or null

import {CertifiedEpoch} from "../dist/translated/app_live_certificates.js"
import {uniform_variance_bound} from "../dist/translated/sampler_metrics_gradient_variance.js"
import {epoch_certificate} from "../dist/translated/sampler_theory_epoch_certificate.js"
import {borrowing, gradientVariance, largestCurvature, metricOf} from "./noise.js"

const WORK = 200000 // gradient coordinates evaluated to measure the noise of one epoch, at most: a few milliseconds
const MOST_CHAINS = 8

/** At most so many of some chains, evenly spread; one at least. */
export function spreadOver(chains, most) {
  const n = Math.max(1, Math.min(chains.length, most)), last = chains.length - 1
  return Array.from({length: n}, (_, i) => chains[i && i === n - 1 ? last : Math.trunc(i * (last / (n - 1 || 1)))])
}

/** The epoch that has just ended, put into the certificate by the measured noise and by the ball's; null where a metric has no length yet. */
export function certified(kernels, problem, state) {
  const {saga, t, target, config} = state, {dim, settings} = saga, sound = state.sound.flatMap((one, k) => one ? [k] : [])
  const chains = spreadOver(sound, Math.min(MOST_CHAINS, Math.floor(WORK / Math.max(t * dim, 1))))
  const metrics = chains.map(chain => metricOf(kernels, saga, chain))
  if (metrics.includes(null)) return null // no length for every direction yet
  const own = state.preconditioned, smoothness = smoothnessOf(kernels, problem, saga, target, own ? chains : chains.slice(0, 1), metrics)
  const smooth = Number.isFinite(smoothness), variance = smooth ? meanVariance(kernels, problem, saga, chains) : null
  const distance = target.known ? startDistance(kernels, saga, target, own ? chains : sound, own ? metrics : metrics.slice(0, 1)) : null
  const square = state.escape_distance ** 2, farthest = saga.farthest()
  const left = sound.filter(k => farthest[k] > square).length / sound.length
  const certificate = (noise, exit, measured) => epoch_certificate(dim, state.step_size, settings.i_max, distance, noise, smoothness,
    exit, settings.random_length, measured)
  const {meter} = state.constants
  const inBall = smooth && !own && settings.variance_reduction && settings.refresh ? uniform_variance_bound(t, meter.smoothness,
    config.escape_radius, state.constants.largest_drift(settings.offset), settings.batch_size) : null
  return new CertifiedEpoch({t, measured: certificate(variance, 0, ["wasserstein", "variance"]),
    in_ball: certificate(inBall, left, ["wasserstein", "variance", "exit_probability"]), wasserstein: distance, variance,
    chains: chains.length, whitened: own})
}

/** Largest curvature of F_t anywhere, over the chains' metrics; Infinity where a term's has no bound. */
function smoothnessOf(kernels, {kind, curvature_bound: bound, prior_precision: prior}, saga, target, chains, metrics) {
  if (bound === null) return Infinity
  if (kind === "gaussian_mean") return Math.max(...chains.map(chain => largestCurvature(kernels, saga, target, chain)))
  return borrowing(kernels, "smoothness", saga, state => Math.max(...chains.map((_, i) => {
    state.set("prior", prior)
    state.set("metric", metrics[i])
    kernels.call("smoothness", state, {curvature_bound: bound, t: saga.t})
    return state.array("curvature")[0]
  })))
}

/** Mean over chains, with the cached gradients where they are used. */
function meanVariance(kernels, problem, saga, chains) {
  const name = saga.settings.variance_reduction ? "saga" : "sgld"
  return chains.reduce((sum, chain) => sum + gradientVariance(kernels, saga, problem, chain)[name], 0) / chains.length
}

/** W2 at the epoch's start, coupled independently. */
function startDistance(kernels, saga, {mean, std, covariance}, chains, metrics) {
  return borrowing(kernels, "start_distance", saga, state => {
    for (const [name, numbers] of Object.entries({chains, mean, std, laplace: covariance})) state.set(name, numbers)
    metrics.forEach((metric, i) => state.set("metrics", metric, i * metric.length))
    kernels.call("start_distance", state, {})
    return state.array("distance")[0]
  }, {R: chains.length, B: metrics.length})
}
