"""What every sampler on a stream promises, whatever the algorithm and the problem."""


import numpy as np
import pytest

from sampler import ULA, DivergenceError, GradientOracle, LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms.laplace import Laplace
from sampler.algorithms.mala import MALA
from sampler.algorithms.online_laplace import OnlineLaplace
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.random_walk import RandomWalkMetropolis
from sampler.algorithms.sgld import SGLD
from sampler.kernels.rng import GOLDEN
from tests.sampler.algorithms.streams import CountingOracle, stream

SAMPLERS = [OnlineSagaLD, ULA, SGLD, PreconditionedSagaLD, MALA, RandomWalkMetropolis, PolyaGamma, Laplace,
            OnlineLaplace]
LANGEVIN = SAMPLERS[:4]  # every step is taken: they can diverge, and a step's terms add up
STEPPING = SAMPLERS[:7]  # i_max counts their steps
KINDS = ["logistic", "linear", "poisson", "gaussian"]
SETTINGS = Settings(eta0=0.2, batch_size=5, i_max=12, acceptance_radius=3.0, offset=2.0)


def observe_all(sampler, data, first=0, last=None):
    for i in range(first, last if last is not None else len(data[0])):
        epoch = sampler.observe(*(part[i] for part in data))
    return epoch


def assert_unchanged(before, after):
    assert before.meta == after.meta and before.arrays.keys() == after.arrays.keys()
    for name in before.arrays:
        np.testing.assert_array_equal(before.arrays[name], after.arrays[name])


def pairs(samplers):
    """Each sampler with each kind of problem it runs on."""
    return pytest.mark.parametrize(("sampler", "kind"), [
        (s, kind) for s in samplers for kind in KINDS if stream(kind)[0].kind in s.kinds])


class TestEveryPath:
    @pairs(SAMPLERS)
    def test_same_seed_same_path_and_another_seed_another(self, sampler, kind):
        problem, data = stream(kind, 30)
        runs = [observe_all(sampler(problem, SETTINGS, chains=3, seed=s), data).samples for s in (4, 4, 5)]
        np.testing.assert_array_equal(runs[0], runs[1])
        assert np.abs(runs[0] - runs[2]).max() > 1e-3

    @pairs(SAMPLERS)
    def test_one_call_with_many_rows_is_many_calls(self, sampler, kind):
        problem, data = stream(kind, 40)
        one, many = (sampler(problem, SETTINGS, chains=3, seed=1) for _ in range(2))
        whole = one.observe(*data)
        last = observe_all(many, data)
        np.testing.assert_array_equal(whole.samples, last.samples)
        assert whole.t == last.t == 40
        assert whole.gradient_evaluations == one.gradient_evaluations == many.gradient_evaluations

    @pairs(SAMPLERS)
    @pytest.mark.parametrize("slices", [1, 3, 1000])
    def test_slicing_never_changes_the_path(self, sampler, kind, slices):
        problem, data = stream(kind, 20)
        whole, sliced = (sampler(problem, SETTINGS, chains=3, seed=1) for _ in range(2))
        for i in range(20):
            epoch = whole.observe(*(part[i] for part in data))
            sliced.arrive(*(part[i] for part in data))
            while not sliced.advance(slices):
                assert (sliced.steps_done <= sliced.run_lengths).all()
            np.testing.assert_array_equal(sliced.positions, epoch.samples)
            a, b = sliced.epoch(), epoch
            assert (a.t, a.gradient_evaluations, a.resets, a.refreshed, a.steps) == (
                b.t, b.gradient_evaluations, b.resets, b.refreshed, b.steps)
            np.testing.assert_array_equal(sliced.steps_done, sliced.run_lengths)

    @pairs(SAMPLERS)
    def test_saved_and_loaded_in_mid_epoch_it_goes_on_bit_for_bit(self, sampler, kind, tmp_path):
        problem, data = stream(kind, 60)
        kept = sampler(problem, SETTINGS, chains=3, seed=1)
        kept.observe(*(part[:40] for part in data))
        kept.arrive(*(part[40] for part in data))
        kept.watch(np.zeros(problem.dim))
        kept.advance(2)
        path = tmp_path / "state"
        kept.save(path)
        assert [p.name for p in tmp_path.iterdir()] == ["state"]
        loaded = sampler.load(path)
        copied = sampler.from_snapshot(kept.snapshot())
        bare = sampler.from_snapshot(kept.snapshot(rows=False), rows=kept)
        for other in (loaded, copied, bare):
            assert other.settings == kept.settings and other.t == kept.t
        for s in (kept, loaded, copied, bare):
            s.advance(10**6)
            s.observe(*(part[41:] for part in data))
        for other in (loaded, copied, bare):
            np.testing.assert_array_equal(other.positions, kept.positions)
            np.testing.assert_array_equal(other.farthest, kept.farthest)
            assert other.gradient_evaluations == kept.gradient_evaluations

    @pairs(SAMPLERS)
    def test_a_state_saved_before_generators_had_increments_goes_on_as_it_would_have(self, sampler, kind):
        problem, data = stream(kind, 30)
        kept = sampler(problem, SETTINGS, chains=3, seed=1)
        kept._state.rng[..., 1] = GOLDEN  # what version 1 drew with
        kept.observe(*(part[:20] for part in data))
        saved = kept.snapshot()
        saved.meta["version"] = 1
        saved.arrays["chains_rng"][..., 1] = 0  # and did not store
        loaded = sampler.from_snapshot(saved)
        for s in (kept, loaded):
            s.observe(*(part[20:] for part in data))
        np.testing.assert_array_equal(loaded.positions, kept.positions)

    @pairs(LANGEVIN)
    def test_trace_adds_up_to_the_step(self, sampler, kind):
        problem, data = stream(kind, 30)
        s = sampler(problem, SETTINGS.replace(random_length=False), chains=3, seed=1)
        plain = sampler(problem, SETTINGS.replace(random_length=False), chains=3, seed=1)
        for each in (s, plain):
            each.observe(*(part[:29] for part in data))
            each.arrive(*(part[29] for part in data))
        s.advance(7, trace=1)
        plain.advance(7)
        np.testing.assert_array_equal(s.positions, plain.positions)  # looking changes nothing
        step = s.trace
        assert step.before.shape == (7, problem.dim) and step.t == 30
        after = step.before - step.step_size * (step.guess + step.correction) + step.noise
        np.testing.assert_allclose(after, step.after, atol=1e-12)
        np.testing.assert_array_equal(step.after[-1], s.positions[1])
        np.testing.assert_array_equal(step.after[:-1], step.before[1:])

    @pairs(SAMPLERS)
    def test_farthest_is_the_largest_squared_distance_of_the_epoch(self, sampler, kind):
        problem, data = stream(kind, 20)
        s = sampler(problem, SETTINGS, chains=4, seed=1)
        s.observe(*(part[:19] for part in data))
        center = s.positions.mean(axis=0)
        s.arrive(*(part[19] for part in data))
        s.watch(center)
        seen = [((s.positions - center) ** 2).sum(axis=1)]
        while not s.advance(1):
            seen.append(((s.positions - center) ** 2).sum(axis=1))
        seen.append(((s.positions - center) ** 2).sum(axis=1))
        np.testing.assert_allclose(s.farthest, np.max(seen, axis=0), rtol=1e-12)

    @pairs(STEPPING)
    def test_knobs_act_in_mid_epoch(self, sampler, kind):
        problem, data = stream(kind, 20)
        changed, kept = (sampler(problem, SETTINGS.replace(random_length=False), chains=2, seed=1) for _ in range(2))
        for s in (changed, kept):
            s.arrive(*(part[0] for part in data))
            s.advance(3)
        changed.settings = changed.settings.replace(eta0=0.01, i_max=20)
        assert changed.advance(17) and kept.advance(9)
        assert (changed.steps_done == 20).all() and (kept.steps_done == 12).all()


@pytest.mark.parametrize("sampler", SAMPLERS)
class TestBadInput:
    def test_bad_data_name_what_is_wrong_and_change_nothing(self, sampler):
        s = sampler(LogisticRegression(2), SETTINGS, chains=2, seed=0)
        s.observe([1.0, 2.0], 1)
        before = s.snapshot()
        for features, label, words in [
            ([1.0, 2.0], 2, "label must be in"), ([1.0, 2.0], 0.5, "label"), ([1.0, 2.0], np.nan, "label"),
            ([1.0, np.nan], 1, "features must be finite"), ([1.0, np.inf], 1, "features"), ([1.0], 1, "shape"),
            ([1.0, 2.0, 3.0], 1, "shape"), ([[1.0, 2.0]] * 3, [1, 0], "label must have shape"),
            (np.zeros((0, 2)), np.zeros(0), "at least one row"), (["a", "b"], 1, "numbers"), ([1.0, 2.0], "x", "label"),
            ([[1.0, 2.0], [np.nan, 1.0]], [1, 0], "row 1"), (np.zeros((2, 2, 2)), [1, 0], "shape"),
        ]:
            with pytest.raises(ValueError, match=words):
                s.observe(features, label)
        with pytest.raises(ValueError, match="observe takes features and label"):
            s.observe([1.0, 2.0])
        assert_unchanged(before, s.snapshot())

    def test_labels_may_be_zero_one_or_minus_one_one(self, sampler):
        _, (features, labels) = stream("logistic", 30)
        runs = [sampler(LogisticRegression(3), SETTINGS, chains=2).observe(features, y).samples
                for y in (labels, 2 * labels - 1, labels.astype(bool))]
        np.testing.assert_array_equal(runs[0], runs[1])
        np.testing.assert_array_equal(runs[0], runs[2])

    def test_an_unfinished_epoch_refuses_the_next_datum(self, sampler):
        s = sampler(LogisticRegression(2), SETTINGS.replace(random_length=False), chains=2)
        s.arrive([1.0, 0.0], 1)
        for call in (s.arrive, s.observe):
            with pytest.raises(ValueError, match="unfinished"):
                call([1.0, 0.0], 1)
        assert s.t == 1
        with pytest.raises(ValueError, match="one datum"):
            s.advance(100)
            s.arrive([[1.0, 0.0]] * 2, [1, 0])

    @pytest.mark.parametrize("changes", [
        {"chains": 0}, {"chains": 1.5}, {"seed": -1}, {"seed": "x"}, {"start": [1.0]}, {"start": [np.nan, 1.0]},
        {"settings": {"eta0": 1}}, {"threads": 0}, {"threads": 2.5}])
    def test_bad_arguments_are_named(self, sampler, changes):
        with pytest.raises(ValueError, match=next(iter(changes))):
            sampler(LogisticRegression(2), **changes)

    def test_bad_calls_are_named_and_change_nothing(self, sampler):
        s, untouched = (sampler(LogisticRegression(2), SETTINGS, chains=2) for _ in range(2))
        with pytest.raises(ValueError, match="epoch needs"):
            s.epoch()
        for one in (s, untouched):
            one.arrive([1.0, 0.0], 1)
        before, threads = s.snapshot(), s.threads
        for call, words in [
            (lambda: s.advance(0), "n_steps"), (lambda: s.advance(1.5), "n_steps"), (lambda: s.advance(1, trace=2), "trace"),
            (lambda: s.watch([0.0]), "center"), (lambda: s.watch([np.nan, 0.0]), "center"),
            (lambda: setattr(s, "settings", {"eta0": 1}), "settings"), (lambda: setattr(s, "settings", None), "settings"),
            (lambda: setattr(s, "threads", 0), "threads"), (lambda: setattr(s, "threads", "2"), "threads"),
            (lambda: s.reserve(-1), "n must be"), (lambda: s.reserve(10**400), "n must be"),
            (lambda: s.keep_rows_in("."), "before the first datum"), (lambda: s.observe([1.0, 0.0], 1), "unfinished"),
            (lambda: s.arrive([1.0, "a"], 1), "unfinished|features"),
        ]:
            with pytest.raises(ValueError, match=words):
                call()
        assert_unchanged(before, s.snapshot())
        assert s.threads == threads and s.settings == SETTINGS
        for one in (s, untouched):
            one.advance(10**6)
        np.testing.assert_array_equal(s.observe([0.5, 1.0], 0).samples, untouched.observe([0.5, 1.0], 0).samples)

    def test_a_problem_it_cannot_run_on_is_refused_with_the_reason(self, sampler):
        refused = [stream(kind)[0] for kind in KINDS] + [GradientOracle(lambda i, x: np.zeros((len(i), 2)), 2)]
        for problem in [p for p in refused if p.kind not in sampler.kinds] + ["no problem"]:
            with pytest.raises(ValueError, match=f"problem must be .* for {sampler.__name__} .*; use another"):
                sampler(problem)

    def test_a_chain_too_hot_stops_finite_says_where_and_can_go_on(self, sampler):
        if sampler not in LANGEVIN:
            pytest.skip("never takes a step that is not sound")
        problem, data = stream("linear", 40)
        s = sampler(problem, SETTINGS.replace(eta0=50.0), chains=3, seed=0)
        with pytest.raises(DivergenceError, match="eta0.*diverged at epoch"):
            s.observe(*data)
        assert s.diverged.any() and np.isfinite(s.positions).all()
        where = s.divergence
        assert 1 <= where.epoch <= 40 and 1 <= where.step <= 12
        with pytest.raises(DivergenceError):
            s.observe(*(part[0] for part in data))
        s.settings = SETTINGS.replace(eta0=0.05)
        assert s.restart_diverged() > 0 and not s.diverged.any()
        assert np.isfinite(s.observe(*(part[0] for part in data)).samples).all()

    def test_a_wrong_file_is_named(self, sampler, tmp_path):
        path = tmp_path / "wrong.npz"
        path.write_text("no archive")
        with pytest.raises(ValueError, match="wrong.npz"):
            sampler.load(path)
        np.savez(path, x=np.zeros(3))
        with pytest.raises(ValueError, match="wrong.npz"):
            sampler.load(path)

    def test_a_file_from_the_future_or_of_another_kind_is_refused(self, sampler, tmp_path):
        import json
        s = sampler(LogisticRegression(2), SETTINGS, chains=2)
        s.observe([1.0, 0.0], 1)
        path = tmp_path / "state.npz"
        s.save(path)
        other = next(c for c in SAMPLERS if c is not sampler)
        with pytest.raises(ValueError, match=f"{sampler.__name__}.load"):
            other.load(path)
        with pytest.raises(ValueError, match="must match"):
            sampler.load(path, problem=LogisticRegression(3))
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        arrays["meta"] = np.array(json.dumps({**json.loads(str(arrays["meta"])), "version": 99}))
        np.savez(path, **arrays)
        with pytest.raises(ValueError, match="version 99"):
            sampler.load(path)

    def test_a_full_disk_leaves_the_old_file_intact(self, sampler, tmp_path, monkeypatch):
        s = sampler(LogisticRegression(2), SETTINGS, chains=2)
        s.observe([1.0, 0.0], 1)
        path = tmp_path / "state.npz"
        s.save(path)
        old = path.read_bytes()

        def full(file, **_):
            file.write(b"half")
            raise OSError("no space left on device")

        monkeypatch.setattr(np, "savez", full)
        with pytest.raises(OSError, match="no space"):
            s.save(path)
        assert path.read_bytes() == old and len(list(tmp_path.iterdir())) == 1


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
def test_an_oracle_that_fails_leaves_the_state_as_it_was(sampler, answer, words):
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
    answer_now = calls.clear  # the oracle is mended: the chain goes on from the step that failed
    answer_now()
    s.advance(10**6)
    assert s.observe().t == s.t


def test_oracle_and_prior_must_be_callable():
    for arguments in [(3, 2), (len, 2, "x")]:
        with pytest.raises(ValueError, match="callable"):
            GradientOracle(*arguments)
    with pytest.raises(ValueError, match="dim"):
        GradientOracle(len, 0)
