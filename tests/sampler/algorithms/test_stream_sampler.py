"""Requirements on all online samplers, for every algorithm and problem."""

import json

import numpy as np
import pytest

from sampler import ULA, GradientOracle, LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms.cv_sgld import CvSGLD
from sampler.algorithms.ibis import IBIS
from sampler.algorithms.langevin import SGLD
from sampler.algorithms.laplace import Laplace, OnlineLaplace
from sampler.algorithms.metropolis import MALA, RandomWalkMetropolis
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.recursive_vga import RecursiveVGA
from sampler.algorithms.subsampled_metropolis import SubsampledMetropolis
from sampler.algorithms.warm_laplace import WarmLaplace
from sampler.algorithms.zigzag import ZigZag
from tests.sampler.algorithms.streams import CountingOracle, stream

SAMPLERS = [OnlineSagaLD, ULA, SGLD, PreconditionedSagaLD, CvSGLD, MALA, RandomWalkMetropolis, PolyaGamma,
            SubsampledMetropolis, ZigZag, Laplace, OnlineLaplace, WarmLaplace, RecursiveVGA, IBIS]
LANGEVIN = SAMPLERS[:5]  # no rejection: they can diverge, and the terms of a step add up
STEPPING = SAMPLERS[:10]  # i_max counts their steps
KINDS = ["logistic", "linear", "poisson", "gaussian"]
SETTINGS = Settings(eta0=0.2, batch_size=5, i_max=12, acceptance_radius=3.0, offset=2.0)


def assert_unchanged(before, after):
    assert before.meta == after.meta and before.arrays.keys() == after.arrays.keys()
    for name in before.arrays:
        np.testing.assert_array_equal(before.arrays[name], after.arrays[name])


def pairs(samplers):
    """Parametrize over each sampler with each supported kind of problem."""
    return pytest.mark.parametrize(("sampler", "kind"), [
        (s, kind) for s in samplers for kind in KINDS if stream(kind)[0].kind in s.kinds])


class TestEveryPath:
    @pairs(SAMPLERS)
    def test_the_path_depends_on_the_seed_and_not_on_slices(self, sampler, kind):
        problem, data = stream(kind, 24)
        whole, sliced, other = (sampler(problem, SETTINGS, chains=3, seed=seed) for seed in (4, 4, 5))
        center, total = np.full(3, 0.1), 0
        for i in range(24):
            sliced.arrive(*(part[i] for part in data))
            sliced.watch(center)
            seen = [((sliced.positions - center) ** 2).sum(axis=1)]
            while not sliced.advance((1, 3, 1000)[i % 3]):
                assert (sliced.steps_done <= sliced.run_lengths).all()
                seen.append(((sliced.positions - center) ** 2).sum(axis=1))
            seen.append(((sliced.positions - center) ** 2).sum(axis=1))
            np.testing.assert_array_equal(sliced.steps_done, sliced.run_lengths)
            total += sliced.epoch().gradient_evaluations
            if i % 3 == 0:  # every step was observed
                np.testing.assert_allclose(sliced.farthest, np.max(seen, axis=0), rtol=1e-12)
        epoch = whole.observe(*data)
        np.testing.assert_array_equal(sliced.positions, epoch.samples)
        assert epoch.t == sliced.t == 24
        assert epoch.gradient_evaluations == whole.gradient_evaluations == sliced.gradient_evaluations == total
        assert np.abs(other.observe(*data).samples - epoch.samples).max() > 1e-3

    @pairs([OnlineSagaLD, SGLD, ULA])
    def test_a_users_gradients_give_the_same_chain_and_count(self, sampler, kind):
        problem, data = stream(kind, 60)
        oracle = CountingOracle(problem, data)
        ours, theirs = (sampler(p, SETTINGS, chains=2, seed=3, start=np.full(3, 0.1)) for p in (problem, oracle.problem))
        for i in range(60):
            a, b = ours.observe(*(part[i] for part in data)), theirs.observe()
            np.testing.assert_allclose(a.samples, b.samples, rtol=1e-8, atol=1e-8)
            assert (a.gradient_evaluations, a.resets, a.refreshed, a.steps) == (
                b.gradient_evaluations, b.resets, b.refreshed, b.steps)
        assert oracle.count == theirs.gradient_evaluations == ours.gradient_evaluations
        if sampler is OnlineSagaLD:
            np.testing.assert_array_equal(ours.cached_epochs(1), theirs.cached_epochs(1))
            np.testing.assert_allclose(ours.cached_gradients(1), theirs.cached_gradients(1), atol=1e-8)

    @pairs(LANGEVIN)
    def test_trace_adds_up_to_the_step(self, sampler, kind):
        problem, data = stream(kind, 30)
        s, plain = (sampler(problem, SETTINGS.replace(random_length=False), chains=3, seed=1) for _ in range(2))
        for each in (s, plain):
            each.observe(*(part[:29] for part in data))
            each.arrive(*(part[29] for part in data))
        s.advance(7, trace=1)
        plain.advance(7)
        np.testing.assert_array_equal(s.positions, plain.positions)  # tracing changes nothing
        step = s.trace
        assert step.before.shape == (7, problem.dim) and step.t == 30
        after = step.before - step.step_size * (step.guess + step.correction) + step.noise
        np.testing.assert_allclose(after, step.after, atol=1e-12)
        np.testing.assert_array_equal(step.after[-1], s.positions[1])
        np.testing.assert_array_equal(step.after[:-1], step.before[1:])

    @pairs(STEPPING)
    def test_settings_change_in_mid_epoch(self, sampler, kind):
        problem, data = stream(kind, 20)
        changed, kept = (sampler(problem, SETTINGS.replace(random_length=False), chains=2, seed=1) for _ in range(2))
        for s in (changed, kept):
            s.arrive(*(part[0] for part in data))
            s.advance(3)
        changed.settings = changed.settings.replace(eta0=0.01, i_max=20)
        assert changed.advance(17) and kept.advance(9)
        assert (changed.steps_done == 20).all() and (kept.steps_done == 12).all()


@pytest.fixture(params=[OnlineSagaLD, PreconditionedSagaLD, MALA, OnlineLaplace, WarmLaplace, RecursiveVGA, IBIS, CvSGLD,
                        SubsampledMetropolis, ZigZag])
def one(request):
    """A sampler for each kind of state, after its first datum."""
    s = request.param(LogisticRegression(2), SETTINGS, chains=2, seed=0)
    s.observe([1.0, 2.0], 1)
    return s


class TestBadInput:
    def test_bad_data_are_rejected_and_change_nothing(self, one):
        before = one.snapshot()
        for features, label, words in [
            ([1.0, 2.0], 2, "label must be in"), ([1.0, 2.0], 0.5, "label"), ([1.0, 2.0], np.nan, "label"),
            ([1.0, np.nan], 1, "features must be finite"), ([1.0, np.inf], 1, "features"), ([1.0], 1, "shape"),
            ([1.0, 2.0, 3.0], 1, "shape"), ([[1.0, 2.0]] * 3, [1, 0], "label must have shape"),
            (np.zeros((0, 2)), np.zeros(0), "at least one row"), (["a", "b"], 1, "numbers"), ([1.0, 2.0], "x", "label"),
            ([[1.0, 2.0], [np.nan, 1.0]], [1, 0], "row 1"), (np.zeros((2, 2, 2)), [1, 0], "shape"),
        ]:
            with pytest.raises(ValueError, match=words):
                one.observe(features, label)
        for call, words in [(lambda: one.observe([1.0, 2.0]), "observe takes features and label"),
                            (lambda: one.arrive([[1.0, 0.0]] * 2, [1, 0]), "one datum")]:
            with pytest.raises(ValueError, match=words):
                call()
        assert_unchanged(before, one.snapshot())

    def test_bad_calls_in_mid_epoch_are_named_and_change_nothing(self, one):
        untouched = type(one).from_snapshot(one.snapshot())
        for s in (one, untouched):
            s.arrive([1.0, 0.0], 1)
        before, threads = one.snapshot(), one.threads
        for call, words in [
            (lambda: one.advance(0), "n_steps"), (lambda: one.advance(1.5), "n_steps"),
            (lambda: one.advance(1, trace=2), "trace must be a" if one.traceable else "trace must be None for"),
            (lambda: one.watch([0.0]), "center"), (lambda: one.watch([np.nan, 0.0]), "center"),
            (lambda: setattr(one, "settings", {"eta0": 1}), "settings"),
            (lambda: setattr(one, "threads", 0), "threads"), (lambda: setattr(one, "threads", "2"), "threads"),
            (lambda: one.reserve(-1), "n must be"), (lambda: one.reserve(10**400), "n must be"),
            (lambda: one.keep_rows_in("."), "before the first datum"), (lambda: one.observe([1.0, 0.0], 1), "unfinished"),
            (lambda: one.arrive([1.0, "a"], 1), "unfinished"),
        ]:
            with pytest.raises(ValueError, match=words):
                call()
        assert_unchanged(before, one.snapshot())
        assert one.threads == threads and one.settings == SETTINGS
        for s in (one, untouched):
            s.advance(10**6)
        np.testing.assert_array_equal(one.observe([0.5, 1.0], 0).samples, untouched.observe([0.5, 1.0], 0).samples)

    def test_a_wrong_file_is_named(self, one, tmp_path):
        sampler, path, state = type(one), tmp_path / "wrong.npz", tmp_path / "state.npz"
        path.write_text("no archive")
        with pytest.raises(ValueError, match="wrong.npz"):
            sampler.load(path)
        np.savez(path, x=np.zeros(3))
        with pytest.raises(ValueError, match="wrong.npz"):
            sampler.load(path)
        one.save(state)
        with pytest.raises(ValueError, match=f"{sampler.__name__}.load"):
            SGLD.load(state)
        with pytest.raises(ValueError, match="must match"):
            sampler.load(state, problem=LogisticRegression(3))
        with np.load(state) as file:
            arrays = {name: file[name] for name in file.files}
        for version, advice in ((99, "upgrade"), (1, "release 0.6")):
            meta = json.dumps({**json.loads(str(arrays["meta"])), "version": version})
            np.savez(path, **arrays | {"meta": np.array(meta)})
            with pytest.raises(ValueError, match=f"version {version}, .*{advice}"):
                sampler.load(path)
        with pytest.raises(ValueError, match="epoch needs"):
            sampler(LogisticRegression(2), chains=1).epoch()


def test_labels_may_be_zero_one_or_minus_one_one():
    _, (features, labels) = stream("logistic", 30)
    first, *others = (OnlineSagaLD(LogisticRegression(3), SETTINGS, chains=2).observe(features, y).samples
                      for y in (labels, 2 * labels - 1, labels.astype(bool)))
    for other in others:
        np.testing.assert_array_equal(first, other)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_an_unsupported_problem_is_rejected(sampler):
    refused = [stream(kind)[0] for kind in KINDS] + [GradientOracle(lambda i, x: np.zeros((len(i), 2)), 2)]
    for problem in [p for p in refused if p.kind not in sampler.kinds] + ["no problem"]:
        with pytest.raises(ValueError, match=f"problem must be .* for {sampler.__name__} .*; use another"):
            sampler(problem)


@pytest.mark.parametrize("sampler", [PreconditionedSagaLD, PolyaGamma, OnlineLaplace, RecursiveVGA, IBIS])
def test_a_flat_prior_is_rejected_if_a_step_divides_by_its_precision(sampler):
    with pytest.raises(ValueError, match="prior_precision must be above 0"):
        sampler(LogisticRegression(2, prior_precision=[1.0, 0.0]))


@pytest.mark.parametrize("sampler", [s for s in SAMPLERS if "oracle" in s.kinds])
def test_a_saved_oracle_needs_its_functions(sampler, tmp_path):
    problem, data = stream("logistic", 10)
    oracle = CountingOracle(problem, data)
    s = sampler(oracle.problem, SETTINGS, chains=2)
    for _ in range(5):
        s.observe()
    s.save(tmp_path / "state")
    with pytest.raises(ValueError, match="problem must be given"):
        sampler.load(tmp_path / "state")
    loaded = sampler.load(tmp_path / "state", problem=oracle.problem)
    np.testing.assert_array_equal(loaded.observe().samples, s.observe().samples)


@pytest.mark.parametrize("sampler", [s for s in SAMPLERS if "oracle" in s.kinds and s is not Laplace])
@pytest.mark.parametrize(("answer", "words"), [
    (lambda i, x: np.zeros(3), "must return shape"), (lambda i, x: np.zeros((len(i), 3)), "must return shape"),
    (lambda i, x: 1 / 0, "division")])
def test_a_failing_oracle_leaves_the_state_valid(sampler, answer, words):
    calls = []

    def gradients(indices, theta):
        calls.append(len(indices))
        return np.zeros((len(indices), 2)) if len(calls) < 40 else answer(indices, theta)

    problem = GradientOracle(gradients, 2, curvature=lambda i, x: np.ones((len(i), 2)))
    s = sampler(problem, SETTINGS.replace(random_length=False), chains=2)
    with pytest.raises((ValueError, ZeroDivisionError), match=words):
        for _ in range(100):
            s.observe()
    assert np.isfinite(s.positions).all()
    calls.clear()  # the oracle is repaired: the chain continues from the step that failed
    s.advance(10**6)
    assert s.observe().t == s.t
