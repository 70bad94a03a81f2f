"""Target and pool in Chromium are those of Live, from the same rows and positions."""

from dataclasses import replace

import numpy as np
import pytest

from app.live.recent_samples import Pool
from app.live.run_state import Data
from app.live.truth import GaussianTruth, GridTruth, LaplaceTruth
from app.state.live import default_config
from sampler.algorithms import online_algorithm
from tests.browser.module_page import module_page

pytestmark = pytest.mark.browser

TRUTHS = {"gaussian2": GaussianTruth, "linear2": GaussianTruth, "logistic2": GridTruth, "poisson2": GridTruth,
          "logistic21": LaplaceTruth}
EPOCHS, CHAINS = 300, 16
LOOKED_AT = (1, 2, 3, 17, 64, 129, EPOCHS)
RUN = """([problem, rows, responses, positions, lookedAt, [px, py]]) => {
  const {dim} = problem, K = positions[0].length / dim, target = new Target(kernels, problem), pool = new Pool(kernels, dim)
  const sound = Array(K).fill(true), answers = []
  let kept = null
  for (let t = 1; t <= positions.length; t++) {
    target.add(rows.slice((t - 1) * dim, t * dim), responses[t - 1])
    const X = positions[t - 1]
    sound[1] = t < 40
    const uniforms = target.uniforms(X)
    pool.add(t, uniforms, target.scores(X), sound)
    if (t === 64) kept = [target.copy(), pool.copy()]
    if (lookedAt.includes(t)) {
      answers.push({t, mode: [...target.mode], hessian: [...target.hessian], covariance: [...target.covariance],
        mean: [...target.mean], std: [...target.std], uniforms: [...uniforms], accuracy: pool.accuracy(),
        ceiling: pool.ceiling(), shape: pool.shape(), memory: pool.memory(), size: pool.size, pairs: pool.pairs,
        loops: target.contours(px, py).map(loop => [...loop])})
    }
  }
  const before = [...target.mode, ...target.std, ...target.uniforms(positions[0])], [other, pooled] = kept
  const at = [other.t, pooled.size]
  for (let t = 65; t <= positions.length; t++) other.add(rows.slice((t - 1) * dim, t * dim), responses[t - 1])
  const again = [...other.mode, ...other.std, ...other.uniforms(positions[0])]
  const after = [...target.mode, ...target.std, ...target.uniforms(positions[0])]
  for (const one of [target, pool, other, pooled]) one.release()
  return [answers, at, [before, again, after], target.words]
}"""


@pytest.fixture(scope="module")
def page(chromium):
    with module_page(chromium, Target="lab/target.js", Pool="lab/pool.js") as page:
        yield page


def record(problem):
    return {"kind": problem.kind, "dim": problem.dim, "prior_precision": np.diag(problem.prior_precision).ravel().tolist()}


def lived(key):
    """Encoded rows and positions of a run of Live, and what Live knows at the epochs that are looked at."""
    config = replace(default_config(key), chains=CHAINS)
    data = Data(config)
    saga = online_algorithm(config.algorithm)(data.problem, config.settings, CHAINS, config.seed, data.start(config))
    truth, pool, sound, positions, expected_at = TRUTHS[key](data.tracker()), Pool(), np.ones(CHAINS, bool), [], {}
    plane = np.linalg.qr(np.random.default_rng(3).standard_normal((saga.dim, 2)))[0]
    for t in range(1, EPOCHS + 1):
        row = data.row(t)
        saga.observe(*row)
        truth.tracker.add(*row)
        truth.add(*row)
        positions.append(saga.positions.copy())
        sound = sound.copy()
        sound[1] = t < 40
        uniforms = truth.uniforms(saga.positions)
        pool.add(t, uniforms, (saga.positions - truth.mean) / truth.std, sound)
        if t in LOOKED_AT:
            tracker = truth.tracker
            expected_at[t] = {"mode": tracker.mode, "hessian": tracker.hessian, "covariance": tracker.covariance,
                              "mean": truth.mean, "std": truth.std, "uniforms": uniforms, "accuracy": pool.accuracy(),
                              "ceiling": pool.ceiling(), "shape": pool.shape(), "memory": pool.memory(), "size": pool.size,
                              "pairs": pool.pairs,
                              "loops": truth.contours(plane)}
    encoded = saga.posterior.rows, getattr(saga.posterior, "targets", np.zeros(EPOCHS))
    return data.problem, encoded, positions, plane, expected_at, truth.words


def largest_gap(loop, polygon):
    """Largest distance of the points of a loop from a closed polygon."""
    start, way = polygon, np.roll(polygon, -1, axis=0) - polygon
    length = np.maximum((way**2).sum(axis=1), 1e-300)
    share = np.clip(((loop[:, None] - start) * way).sum(axis=2) / length, 0.0, 1.0)
    return np.linalg.norm(loop[:, None] - start - share[:, :, None] * way, axis=2).min(axis=1).max()


@pytest.mark.parametrize("key", TRUTHS)
def test_target_and_pool_in_the_browser_are_those_of_live(page, key):
    problem, (rows, responses), positions, plane, expected_at, words = lived(key)
    answers, at, copies, state_words = page.evaluate(RUN, [
        record(problem), rows.ravel().tolist(), responses.tolist(), [one.ravel().tolist() for one in positions],
        list(LOOKED_AT), plane.T.tolist()])
    assert state_words == words and at == [64, 16 * CHAINS - 16] and [one["t"] for one in answers] == list(LOOKED_AT)
    assert copies[0] == copies[1] == copies[2]
    for answer in answers:
        expected = expected_at[answer["t"]]
        largest = {"hessian": np.abs(expected["hessian"]).max(), "covariance": np.abs(expected["covariance"]).max()}
        for name in ("mode", "hessian", "covariance", "mean", "std", "uniforms"):
            np.testing.assert_allclose(answer[name], np.ravel(expected[name]), rtol=0, atol=1e-9 * largest.get(name, 1.0),
                                       err_msg=f"{name} at t = {answer['t']}")
        for name in ("accuracy", "ceiling", "shape", "memory", "size", "pairs"):
            assert answer[name] == pytest.approx(expected[name], abs=1e-9), (name, answer["t"])
        cell = 13.0 * np.max(expected["std"]) / 160  # of a window of 6.5 deviations each side
        for loop, polygon in zip(answer["loops"], expected["loops"], strict=True):
            points = np.reshape(loop, (-1, 2))
            assert points.shape == (64, 2)
            assert max(largest_gap(points, polygon), largest_gap(polygon, points)) < 0.5 * cell
            steps = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
            # even along a level set, but for a chord across a corner; an ellipse's are even in its angle
            assert steps.max() < 1.2 * steps.min() or words != "grid"
