"""The WebAssembly module in Chromium reproduces the paths of the native kernels from a state of Python, and back.

Paths that begin in Chromium, also rewound or after a divergence: lab_file/test_run.py; exit times: test_exit_time_file.py.
"""

import re

import numpy as np
import pytest

from sampler import OnlineSagaLD, Settings
from sampler.algorithms import PreconditionedSagaLD
from sampler.problems import GaussianMean, synthetic_stream
from sampler.problems.glm import GLM_KINDS
from sampler.wasm import from_browser, to_browser
from tests.benchmarks.lab_file import MODULES, race_kernels
from tests.browser.module_page import module_page

pytestmark = pytest.mark.browser

WHOLE_EPOCHS = "window.observe = (saga, n) => { for (; n; n--) { saga.arrive(); saga.advance(2 ** 52) } }"
EPOCHS, CHAINS = 400, 64
NEAR = 1e-10


@pytest.fixture(scope="module")
def page(chromium):
    with module_page(chromium, OnlineSagaLD="lab/online_saga_ld.js") as page:
        page.evaluate(WHOLE_EPOCHS)
        yield page


def stream_of(kind, dim=2):
    stream = synthetic_stream(kind, dim, horizon=EPOCHS, seed=4)
    if kind == "gaussian_mean":
        return GaussianMean(dim), (stream.features,)
    return GLM_KINDS[kind](dim), (stream.features, stream.labels)


@pytest.mark.parametrize("algorithm", [OnlineSagaLD, PreconditionedSagaLD])
def test_arrays_that_a_kernel_makes_are_released_at_its_return(page, algorithm):
    """Unreleased they would take 12 MB in 200 epochs: ten per chain and epoch, of at least 100 bytes."""
    problem, data = stream_of("logistic")
    saved = to_browser(algorithm(problem, Settings(eta0=0.1, batch_size=9, i_max=20), chains=CHAINS, seed=5), *data)
    first, last = page.evaluate("""saved => {
      const saga = new OnlineSagaLD(kernels, saved), size = () => saga.state.array("position").buffer.byteLength
      observe(saga, 100)
      const first = size()
      for (let i = 0; i < 100; i++) observe(saga, 2)
      const last = size()
      saga.state.release()
      return [first, last]
    }""", saved)
    assert last == first


@pytest.mark.parametrize("kind, dim, algorithm", [
    ("logistic", 6, OnlineSagaLD), ("logistic", 6, PreconditionedSagaLD), ("poisson", 2, OnlineSagaLD),
    ("gaussian_mean", 2, PreconditionedSagaLD)])
def test_chains_that_forget_equal_the_native_ones_there_and_back(page, kind, dim, algorithm):
    problem, data = stream_of(kind, dim)
    settings = Settings(eta0=0.05, batch_size=9, i_max=20, acceptance_radius=4.0, offset=1.0)
    native = algorithm(problem, settings, chains=5, seed=5)

    def observe(saga, first, last):
        saga.observe(*(part[first:last] for part in data))

    observe(native, 0, 60)
    native.keep_last(40)  # before the transfer, in Chromium, and after the return
    saved = to_browser(native, *(part[60:200] for part in data))
    saved = page.evaluate("""saved => {
      const saga = new OnlineSagaLD(kernels, saved), keep = n => saga.keep_last(n)
      observe(saga, 20)
      keep(13)
      keep(14) // nothing to forget
      observe(saga, 10)
      for (let i = 0; i < 60; i++) { keep(20); observe(saga, 1) }
      const state = saga.saved()
      saga.state.release()
      return state
    }""", saved)
    observe(native, 60, 80)
    native.keep_last(13)
    observe(native, 80, 90)
    for row in range(90, 150):
        native.keep_last(20)
        observe(native, row, row + 1)
    browser, checkpoint = from_browser(saved), native.checkpoint_epoch
    for saga in (native, browser):
        assert (saga.t, saga.forgotten, saga.checkpoint_epoch) == (21, 129, checkpoint)
        saga.keep_last(15)
        observe(saga, 150, 180)
    np.testing.assert_allclose(browser.positions, native.positions, rtol=0, atol=NEAR)
    np.testing.assert_array_equal(browser.cached_epochs(2), native.cached_epochs(2))
    np.testing.assert_allclose(browser.gradient_sum(2), native.gradient_sum(2), rtol=0, atol=1e-8)
    assert browser.gradient_evaluations == native.gradient_evaluations
    if algorithm is PreconditionedSagaLD:
        np.testing.assert_allclose(browser.precision_matrix(2), native.precision_matrix(2), rtol=1e-9, atol=1e-12)


def test_a_chain_is_traced_and_rows_are_added_beyond_the_capacity(page):
    problem, data = stream_of("linear")
    features, labels = data[0][:150], data[1][:150]
    native = OnlineSagaLD(problem, Settings(eta0=0.1), chains=4, seed=5)
    saved = to_browser(native, features[:10], labels[:10])
    rows, targets, _ = problem.encode(features[10:], labels[10:])
    native.observe(features[:149], labels[:149])
    native.arrive(features[149], labels[149])
    native.advance(5, trace=2)
    trace, state = page.evaluate("""([saved, rows, targets]) => {
      const saga = new OnlineSagaLD(kernels, saved)
      observe(saga, 4)
      saga.append(rows, targets)
      observe(saga, 145)
      saga.arrive()
      saga.advance(5, 2)
      return [[...saga.trace()], saga.saved()]
    }""", [saved, rows.ravel().tolist(), targets.tolist()])
    trace = np.reshape(trace, (-1, 4, problem.dim))
    for i, name in enumerate(("before", "guess", "correction", "noise")):
        np.testing.assert_allclose(trace[:, i], getattr(native.trace, name), rtol=0, atol=1e-9)
    browser = from_browser(state)
    np.testing.assert_allclose(browser.positions, native.positions, rtol=0, atol=NEAR)
    assert browser.gradient_evaluations == native.gradient_evaluations


@pytest.mark.journey
@pytest.mark.in_turn
def test_the_benchmark_of_the_kernels_runs_the_same_chains_on_both_sides(chromium):
    with module_page(chromium, **MODULES) as page:
        speed, *_ = race_kernels(page, "logistic2", "saga-ld", turns=1)
    assert float(re.search("at most (.+) apart", speed.note)[1]) <= NEAR
