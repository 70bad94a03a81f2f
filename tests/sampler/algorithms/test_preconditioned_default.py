"""The default step follows the rows: how much few rows widen the cloud, and how long a step they allow."""

import numpy as np
import pytest

from sampler import GaussianMean, LinearRegression, LogisticRegression, PoissonRegression, PreconditionedSagaLD, Settings

FEW, ROWS = 4, 256
STATIC = PreconditionedSagaLD.default_settings(2, kind="linear")


def one_hot(few: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a linear model in two dimensions of which ``few``, evenly spread, tell the first coefficient."""
    features = np.tile([0.0, 1.0], (rows, 1))
    features[np.linspace(2, rows - 2, few).astype(int)] = [1.0, 0.0]
    return features, features @ [1.0, -1.0] + np.random.default_rng(0).normal(size=rows)


def test_the_step_is_what_the_few_rows_allow():
    """g = t n/(n + 1)^2 where n rows of unit curvature tell a coefficient beside a prior precision of 1."""
    saga = PreconditionedSagaLD(LinearRegression(2), chains=1)
    saga.observe(*one_hot(FEW, ROWS))
    s, g = saga.settings_for_rows(), ROWS * FEW / (FEW + 1) ** 2
    lost = s.eta0 * ROWS / (s.batch_size + s.eta0 * ROWS)
    assert s.batch_size == 10 and s.i_max == int(np.ceil(2.2 / s.eta0)) and s.eta0 < STATIC.eta0
    assert s.eta0 * (0.5 + 1.08 * g * lost / s.batch_size) == pytest.approx(0.08, rel=0.01)  # eta0 has three digits


def test_rows_that_weigh_alike_keep_the_default():
    """Half of 40 rows each: g = 40 * 20/21^2 = 1.8, below the 4 of normal rows."""
    saga = PreconditionedSagaLD(LinearRegression(2), chains=2)
    features, labels = one_hot(20, 40)
    saga.observe(features, labels)
    assert saga.settings == saga.settings_for_rows() == STATIC


def test_the_cloud_is_at_most_a_twentieth_too_wide():
    """The exact variance of the rare coefficient is 1/(n + 1). 1,000 chains tell a variance to sqrt(2/1000) = 4.5 %.

    The default that does not follow adds 1/(1 - eta0 g s/b) - 1 = 40 % or more, see the test of the step.
    """
    features, labels = one_hot(FEW, ROWS)
    rare = features[:, 0] == 1
    variance = 1.0 / (FEW + 1)
    widths = []
    for settings in (None, STATIC):
        saga = PreconditionedSagaLD(LinearRegression(2), settings, chains=1000, seed=3)
        error = saga.observe(features, labels).samples[:, 0] - labels[rare].sum() * variance
        widths.append((error**2).mean() / variance)
        assert (saga.settings == STATIC) == (settings is STATIC)
    assert widths[0] <= 1.05**2 + 3 * 0.045 * 1.1 < widths[1]


@pytest.mark.parametrize("problem", [LinearRegression(2), LogisticRegression(2, prior_precision=0.05)])
def test_it_follows_whatever_the_slices_until_a_knob_is_set(problem, tmp_path):
    features, labels = one_hot(3, 80)
    labels = (labels > 0).astype(float)
    whole, single = (PreconditionedSagaLD(problem, chains=3, seed=1) for _ in range(2))
    whole.observe(features, labels)
    for row, label in zip(features[:70], labels[:70], strict=True):
        single.observe(row, label)
    single.save(tmp_path / "state.npz")
    single = PreconditionedSagaLD.load(tmp_path / "state.npz")
    single.arrive(features[70], labels[70])
    single.advance(10_000)
    single.observe(features[71:], labels[71:])
    np.testing.assert_array_equal(whole.positions, single.positions)
    assert whole.settings == single.settings != whole.default_settings(2, kind=problem.kind)
    own = whole.settings.replace(eta0=0.05)
    single.settings = own
    single.observe(np.tile(features, (2, 1)), np.tile(labels, 2))  # past 128 and 256
    whole.observe(np.tile(features, (2, 1)), np.tile(labels, 2))
    assert single.settings is own and whole.settings.eta0 != own.eta0


def test_settings_that_are_passed_stay():
    own = Settings(eta0=0.05, batch_size=9, i_max=5)
    saga = PreconditionedSagaLD(LinearRegression(2), own, chains=1)
    saga.observe(*one_hot(FEW, ROWS))
    assert saga.settings is own


def test_it_says_where_there_are_no_rows_to_follow():
    with pytest.raises(ValueError, match="settings_for_rows needs a datum and a chain that did not diverge, got 0 data"):
        PreconditionedSagaLD(LinearRegression(2), chains=1).settings_for_rows()
    mean = PreconditionedSagaLD(GaussianMean(2), chains=1)
    mean.observe(np.ones((70, 2)))
    assert mean.settings == mean.default_settings(2)
    with pytest.raises(ValueError, match="weights are kept for one-score models only"):
        mean.settings_for_rows()


def test_a_diagonal_that_is_slow_is_not_biased():
    """Five Poisson rows tell the sum of the coefficients at 150 a count, a sixth then their difference at a count of 8.

    The difference has curvature 17 beside a diagonal of some 750, so 600 steps at eta0 = 0.028 leave more than half of
    where it was; forty times as many leave nothing, and centre and variance are right, to three standard errors of 400
    chains. The truth is a grid's.
    """
    rows, counts = np.array([[1.0, 1.0]] * 5 + [[1.0, -1.0]]), np.array([140.0, 160.0, 150.0, 145.0, 155.0, 8.0])
    total, apart = np.linspace(4.6, 5.4, 801), np.linspace(-4.0, 6.0, 2001)
    along = [(np.exp(-total**2 / 4 + counts[:5].sum() * total - 5 * np.exp(total) - 3000), total),
             (np.exp(-apart**2 / 4 + 8 * apart - np.exp(apart)), apart)]  # sum and difference are independent
    mean = np.array([(w * x).sum() / w.sum() for w, x in along])
    sd = np.sqrt([(w * (x - m) ** 2).sum() / w.sum() for (w, x), m in zip(along, mean, strict=True)])
    s = PreconditionedSagaLD.default_settings(2, kind="poisson").replace(random_length=False)
    memory = []
    for steps in (600, 24_000):
        saga = PreconditionedSagaLD(PoissonRegression(2), s, chains=400, seed=1, metric="diagonal")
        before = saga.observe(rows[:5], counts[:5]).samples
        saga.settings = s.replace(i_max=steps)
        after = saga.observe(rows[5], counts[5]).samples
        scaled = (np.column_stack([after.sum(axis=1), after[:, 0] - after[:, 1]]) - mean) / sd
        memory.append(np.corrcoef(before[:, 0] - before[:, 1], scaled[:, 1])[0, 1])
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=3 / 20)
    np.testing.assert_allclose(scaled.var(axis=0), 1.0, atol=3 * np.sqrt(2 / 400) + 0.03)  # the step adds 1 to 3 %
    assert memory[0] > 0.5 > 0.15 > abs(memory[1])  # three standard deviations of a correlation of 400
