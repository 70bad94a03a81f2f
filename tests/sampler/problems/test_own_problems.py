"""User problems: compiled gradients, Python gradients called from compiled code, problems loaded by name."""

import numpy as np
import pytest
from numba import cfunc, types

from sampler import SGLD, GradientOracle, LogisticRegression, OnlineSagaLD, Settings
from sampler import threads as pool
from sampler.problems import check_gradient, gradient_signature, load_problem, prior_signature

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (RNG.random(60) < 0.5).astype(float)


@cfunc(gradient_signature)
def logistic(indices, n, theta, dim, data, out):
    for j in range(n):
        row = indices[j] * (dim + 1)
        z = 0.0
        for q in range(dim):
            z += data[row + q] * theta[q]
        slope = 1.0 / (1.0 + np.exp(-z)) - data[row + dim]
        for q in range(dim):
            out[j * dim + q] = slope * data[row + q]


@cfunc(prior_signature)
def normal(theta, dim, out):
    for q in range(dim):
        out[q] = theta[q]


def slow_logistic(indices, theta):
    return (1 / (1 + np.exp(-X[indices] @ theta)) - Y[indices])[:, None] * X[indices]


COMPILED = GradientOracle(logistic, 3, normal, data=np.column_stack([X, Y]))
PLAIN = GradientOracle(slow_logistic, 3, lambda theta: theta)
SETTINGS = Settings(eta0=0.3, batch_size=9, i_max=30)


def test_gradients_are_the_functions():
    theta, indices = RNG.normal(size=3), np.array([5, 0, 5, 59])
    np.testing.assert_allclose(COMPILED.gradients(indices, theta), PLAIN.gradients(indices, theta), rtol=1e-12)
    np.testing.assert_array_equal(COMPILED.prior_gradient(theta), theta)
    flat = GradientOracle(logistic, 3, data=np.column_stack([X, Y]))
    np.testing.assert_array_equal(flat.prior_gradient(theta), 0.0)
    assert check_gradient(COMPILED, 60).ok


def test_compiled_plain_and_built_in_problems_have_the_same_path(monkeypatch):
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # share any amount of work
    compiled, threaded, plain, built_in = (
        OnlineSagaLD(problem, SETTINGS, chains=7, seed=1, start=np.zeros(3), threads=threads)
        for problem, threads in ((COMPILED, 1), (COMPILED, 3), (PLAIN, 1), (LogisticRegression(3), 1)))
    for row, label in zip(X[:40], Y, strict=False):
        for saga in (compiled, threaded, plain):
            saga.observe()
        built_in.observe(row, label)
    np.testing.assert_array_equal(compiled.positions, threaded.positions)
    np.testing.assert_allclose(compiled.positions, plain.positions, rtol=1e-9)
    np.testing.assert_allclose(compiled.positions, built_in.positions, rtol=1e-6)
    assert compiled.gradient_evaluations == threaded.gradient_evaluations == plain.gradient_evaluations


def test_wrong_signatures_are_rejected_with_the_correct_one():
    @cfunc(types.float64(types.float64))
    def other(x):
        return x

    with pytest.raises(ValueError, match="gradients must have the signature .* @cfunc\\(gradient_signature\\)"):
        GradientOracle(other, 3)
    with pytest.raises(ValueError, match="prior_gradient must be a cfunc too"):
        GradientOracle(logistic, 3, lambda theta: theta)
    with pytest.raises(ValueError, match="prior_gradient must have the signature"):
        GradientOracle(logistic, 3, logistic)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_problem_here.py").write_text(
        "import numpy as np\nfrom sampler import GradientOracle\n"
        "problem = GradientOracle(lambda i, x: np.tile(x, (len(i), 1)), 2)\n"
        "def make():\n    return problem\nnumber = 7\n")
    (tmp_path / "own_problem_broken.py").write_text("1 / 0\n")
    (tmp_path / "own_problem_needy.py").write_text("import no_such_package_at_all\n")
    return tmp_path


def test_the_current_folder_is_searched(folder):
    problem = load_problem("own_problem_here:problem")
    assert problem.dim == 2 and problem.named == ("own_problem_here:problem", str(folder))
    assert load_problem("own_problem_here:make") is problem


@pytest.mark.parametrize(("name", "words"), [
    ("own_problem_here", "must be module:name"), ("own_problem_here:other", "has no 'other'; it has .*problem"),
    ("own_problem_here:number", "must be a problem, .* got int"), ("no_module_of_this_name:x", "there is no module"),
    ("own_problem_broken:x", "fails on import: ZeroDivisionError"), ("own_problem_needy:x", "needs 'no_such_package"),
])
def test_a_missing_file_or_name_is_an_error(folder, name, words):
    with pytest.raises(ValueError, match=words):
        load_problem(name)


ROWS = np.random.default_rng(0).standard_normal((30, 3))


class Raising:
    """Gradients of ||theta - y_k||^2 that raise an exception in one call."""

    def __init__(self, at: int, error: BaseException) -> None:
        self.calls, self.at, self.error = 0, at, error

    def __call__(self, indices, theta):
        self.calls += 1
        if self.calls == self.at:
            raise self.error
        return 2 * (theta - ROWS[indices])


def oracle_run(gradients, sampler=OnlineSagaLD):
    saga = sampler(GradientOracle(gradients, 3), Settings(eta0=0.05, i_max=8, batch_size=4), chains=2, seed=3)
    for _ in range(20):
        saga.observe()
    saga.settings = saga.settings.replace(random_length=False, i_max=10)
    saga.arrive()
    return saga


@pytest.mark.parametrize("sampler", [OnlineSagaLD, SGLD])
@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), KeyboardInterrupt()])
def test_an_error_stops_before_the_step_and_the_path_continues(error, sampler):
    whole, gradients = oracle_run(Raising(-1, error), sampler), Raising(-1, error)
    whole.advance(10)
    broken = oracle_run(gradients, sampler)
    before = broken.gradient_evaluations
    gradients.at = gradients.calls + 14  # chain 1's fourth step
    with pytest.raises(type(error)):
        broken.advance(10)
    np.testing.assert_array_equal(broken.steps_done, [10, 3])
    assert broken.gradient_evaluations == before + 13 * 4
    assert broken.advance(10)
    np.testing.assert_array_equal(broken.positions, whole.positions)


def test_theta_is_a_copy_for_the_user():
    seen = []
    saga = oracle_run(lambda indices, theta: seen.append(theta) or 2 * (theta - ROWS[indices]))
    seen.clear()
    saga.advance(3)
    assert len({array.tobytes() for array in seen}) == len(seen) == 6
