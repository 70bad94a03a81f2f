"""Gradient variance, curvature, forecast and promise in Chromium are those of Live, from the same chains."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from app.live.assumptions import Constants
from app.live.certificates import certified
from app.live.predicted_accuracy import Foresight
from app.live.recent_samples import Pool
from app.live.run_state import Data, RunState
from app.live.truth import GaussianTruth
from app.state.live import default_config
from sampler.algorithms import online_algorithm
from sampler.theory import AssumptionMeter
from sampler.wasm import to_browser
from tests.browser.module_page import module_page

pytestmark = pytest.mark.browser

RUNS = [(problem, algorithm) for problem in ("gaussian2", "logistic2", "linear2", "poisson2", "logistic21")
        for algorithm in ("saga-ld", "preconditioned")]
DRAWS = 700
MEASURE = """([problem, moments, draws]) => {
  const forecast = new noise.Forecast(kernels, problem), answers = []
  for (const {saved, target, measured} of moments) {
    const saga = new OnlineSagaLD(kernels, saved)
    forecast.add(saga, target)
    if (measured) {
      const constants = {meter: {smoothness: measured.smoothness ?? Infinity}, largest_drift: () => measured.drift}
      const state = new RunState({kernels, problem, saga, target, constants, config: measured.config, stream: {length: 1e6}})
      const promise = certified(state)
      const chain = 1, begin = performance.now()
      const all = [noise.gradientVariance(kernels, saga, problem, chain),
        noise.largestCurvature(kernels, saga, target, chain),
        ...[draws, 0].map(size => forecast.accuracy({saga, target, pool: {size}, chain}))]
      answers.push([...all, performance.now() - begin, promise])
    }
    saga.state.release()
  }
  forecast.release()
  return answers
}"""


@pytest.fixture(scope="module")
def page(chromium):
    with module_page(chromium, OnlineSagaLD="lab/online_saga_ld.js") as page:
        page.evaluate("""async () => {
          window.noise = await import('/lab/noise.js')
          Object.assign(window, await import('/dist/translated/app_live_certificates.js'), await import('/lab/run_state.js'))
        }""")
        yield page


def epochs_of(problem, algorithm, epochs):
    """Live's state after each of so many epochs, observed by nobody."""
    config = replace(default_config(problem, None, algorithm), chains=16, follow=1)
    data = Data(config)
    saga = online_algorithm(algorithm)(data.problem, config.settings, config.chains, config.seed, data.start(config))
    truth = GaussianTruth(data.tracker())
    constants = Constants(AssumptionMeter(data.problem.curvature_bound), data.kind == "gaussian_mean")
    state = RunState(config, data, saga, truth, Pool(), constants)
    for t in range(1, epochs + 1):
        row = data.row(t)
        truth.tracker.add(*row)
        state.constants.add(t, truth.tracker.mode, state.variances, *row)
        saga.watch(truth.tracker.mode)
        saga.observe(*(np.asarray(part)[None] for part in row))
        yield replace(state, pool=SimpleNamespace(size=DRAWS, reference_draws=None))


def moment(state, measured):
    tracker = state.tracker
    target = {"mode": tracker.mode, "hessian": tracker.hessian, "covariance": tracker.covariance, "mean": state.truth.mean,
              "std": state.truth.std}
    meter = state.constants.meter
    return {"saved": to_browser(state.saga), "target": {name: array.ravel().tolist() for name, array in target.items()}
            | {"known": True}, "measured": measured and {
        "smoothness": meter.smoothness if np.isfinite(meter.smoothness) else None, "drift": meter.largest_drift,
        "config": {"escape_radius": state.config.escape_radius, "algorithm": state.config.algorithm}}}


@pytest.mark.parametrize(("name", "algorithm"), RUNS)
def test_the_noise_and_the_forecast_are_lives(page, name, algorithm):
    foresight, moments, expected = Foresight(), [], []
    for state in epochs_of(name, algorithm, 300):
        foresight.add(state)
        measured = state.t in (50, 300)
        if measured or (state.t % 4 == 0 and (state.t > 284 or 34 < state.t < 50)):
            try:
                moments.append(moment(state, measured))
            except ValueError as refused:  # a family without kernels in the module
                pytest.skip(str(refused))
        if measured:
            expected.append((state.gradient_variance(1, state.metric), state.largest_curvature(), foresight.accuracy(state),
                             certified(state)))
    problem = state.data.problem
    bound = problem.curvature_bound if np.isfinite(problem.curvature_bound) else None
    record = {"kind": problem.kind, "curvature_bound": bound,
              "prior_precision": np.diag(problem.prior_precision).ravel().tolist()}
    answers = page.evaluate(MEASURE, [record, moments, DRAWS])
    for (variance, largest, accuracy, epoch), (browser, there, predicted, nothing, milliseconds, promise) in zip(
            expected, answers, strict=True):
        print(f"{milliseconds:.1f} ms")
        assert browser["saga"] == pytest.approx(variance.saga, rel=1e-9)
        assert browser["sgld"] == pytest.approx(variance.sgld, rel=1e-9)
        assert browser["bound"] == (None if variance.bound is None else pytest.approx(variance.bound, rel=1e-9))
        assert there == pytest.approx(largest, rel=1e-9)
        # Where H is the metric but for rounding (linear), its eigenvectors are any: the passes end 1e-8 apart.
        assert predicted == pytest.approx(accuracy, rel=1e-7 if (name, algorithm) == ("linear2", "preconditioned") else 1e-9)
        assert nothing is None
        assert promise["chains"] == epoch.chains and promise["whitened"] == epoch.whitened
        assert promise["wasserstein"] == pytest.approx(epoch.wasserstein, rel=1e-9)
        assert promise["variance"] == (None if epoch.variance is None else pytest.approx(epoch.variance, rel=1e-9))
        for one, other in ((promise["measured"], epoch.measured), (promise["in_ball"], epoch.in_ball)):
            assert one["conditions"] == list(other.conditions) and one["measured"] == list(other.measured)
            for name in ("value", "exit", "lemma"):
                assert one[name] == pytest.approx(getattr(other, name), rel=1e-9)
