"""Streams generated in Chromium equal those of Python.

Samplers started in Chromium and their paths: lab_file/test_run.py.
"""

import json

import numpy as np
import pytest

from app.extras.lab_file.content import problem_records
from app.state.live_menu import PROBLEMS
from sampler import LinearRegression, OnlineSagaLD, Settings, synthetic_stream
from sampler.kernels.synthetic_stream import STREAMS
from sampler.wasm import from_browser, problem_record
from tests.browser.module_page import fixture_of, module_page

pytestmark = pytest.mark.browser

RECORDS = json.loads(json.dumps(problem_records(), allow_nan=False))
NEAR = 1e-10


page = fixture_of(module_page, OnlineSagaLD="lab/online_saga_ld.js", Stream="lab/stream.js", RowStream="lab/stream.js",
                  ownRowsProblem="lab/own_rows.js", initialState="lab/stream.js")


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_stream_has_the_rows_of_python(page, problem, stream):
    record, horizon, seed = RECORDS[problem], 2_000, 999_983
    theta, row, *encoded = json.loads(page.evaluate("""([problem, stream, seed, n]) => {
      const rows = new Stream(kernels, problem, stream, seed, n), [{data: features}, labels] = rows.until(n, 1)
      const out = json([rows.theta, [...features, labels?.data[0] ?? 0], ...rows.encoded(1, n)])
      rows.release()
      return out
    }""", [record, stream, seed, horizon]))
    made = synthetic_stream(record["kind"], record["dim"], stream, horizon, seed)
    np.testing.assert_array_equal(theta, made.theta)
    # V8 rounds Math.sin, cos, log2 and pow differently in the last bit; the truth has norm up to 4 and turns up to 8.6 rad
    near = {"rtol": 0, "atol": 1e-13}
    last = [*made.features[-1], 0.0 if made.labels is None else made.labels[-1]]
    np.testing.assert_allclose(row, last, **near)
    theirs = PROBLEMS[problem].problem.encode(made.features, made.labels)
    for ours, own in zip(encoded, theirs if isinstance(theirs, tuple) else (theirs,), strict=True):
        np.testing.assert_allclose(ours, np.ravel(own), **near)


def test_a_run_on_the_users_rows(page):
    draws, settings = np.random.default_rng(3), Settings(0.05)
    model = LinearRegression(3, prior_precision=1.0, noise_std=1.0)
    features, labels = draws.normal(size=(60, 3)), draws.normal(size=60)
    native = OnlineSagaLD(model, settings, chains=5, seed=8)
    native.observe(features, labels)
    problem, saved = page.evaluate("""([like, features, labels, settings]) => {
      const problem = ownRowsProblem({...like, start: "prior"}, 3)
      const stream = new RowStream(kernels, problem, features, labels)
      const wanted = {algorithm: "saga-ld", settings, chains: 5, seed: 8, stream}
      const saga = new OnlineSagaLD(kernels, initialState(kernels, problem, wanted))
      saga.append(...stream.encoded(1, stream.length))
      for (let i = 0; i < 60; i++) { saga.arrive(); saga.advance(2 ** 52) }
      return [problem, saga.saved()]
    }""", [RECORDS["linear2"], features.ravel().tolist(), labels.tolist(), settings.to_dict()])
    theirs = problem_record(model)
    assert {name: problem[name] for name in theirs} == json.loads(json.dumps(theirs))
    browser = from_browser(saved)
    np.testing.assert_allclose(browser.positions, native.positions, rtol=0, atol=NEAR)
    np.testing.assert_array_equal(browser.posterior.labels, labels)
