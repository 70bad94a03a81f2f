"""Models with a likelihood of one score: linear, logistic and Poisson regression, and Bradley-Terry."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit

from sampler.arguments import real_array, real_number, shown, whole_number
from sampler.coreset.models.base import checked_labels, checked_matrix
from sampler.coreset.models.score_model import ScoreModel
from sampler.kernels.coreset_likelihoods import CAUCHY_PRIOR, LINEAR, LOGISTIC, POISSON
from sampler.problems.glm import LinearRegression, LogisticRegression, PoissonRegression

FAR_BELOW = -15.0
ELO_SCALE = 400.0
MOST_TEAMS = 100_000


class Regression(ScoreModel):
    """Regression of a response on features.

    Parameters
    ----------
    features : (n, p) array
        Without a column of ones.
    labels : (n,) array
    intercept : bool
        Whether to prepend a column of ones.
    """

    allowed: ClassVar[str] = ""  #: labels: "" for any number, "binary" or "counts"
    beside: ClassVar[tuple[str, ...]] = ()  #: coordinates of theta after the coefficients

    def __init__(self, features: ArrayLike, labels: ArrayLike, intercept: bool = True) -> None:
        rows = checked_matrix("features", features)
        names = (*(f"beta {j + 1}" for j in range(rows.shape[1])), *self.beside)
        if intercept:
            rows, names = np.column_stack((np.ones(len(rows)), rows)), ("intercept", *names)
        super().__init__(rows, checked_labels(labels, len(rows), self.allowed), len(names), names)


class LinearLogVariance(Regression):
    """y_n ~ N(x_n . beta, sigma^2), (beta, log sigma^2) ~ N(0, I), not conjugate; theta is beta, then log sigma^2.

    Parameters
    ----------
    features, labels, intercept
        (n, p) without a column of ones, (n,), whether to prepend such a column.
    """

    title: ClassVar[str] = "Linear regression"
    family: ClassVar[int] = LINEAR
    beside: ClassVar[tuple[str, ...]] = ("log sigma^2",)
    response: ClassVar[Any] = LinearRegression

    @classmethod
    def synthetic(cls, n: int = 98_673, dim: int = 10, seed: int = 0) -> "LinearLogVariance":
        """Generate delays in minutes against ``dim`` features, by default of the paper's shape: N = 98,673, p = 10.

        Noise of 20 minutes, coefficients N(0, 3^2), a mean delay of 8: far from the prior. ``n`` >= 2, ``dim`` >= 1;
        the same ``seed`` gives the same data.
        """
        n = whole_number("n", n, 2, 10**8, "98673 is the paper's")
        dim = whole_number("dim", dim, 1, 1000, "10 is the paper's")
        rng = np.random.default_rng(seed)
        features = correlated_features(n, dim, rng)
        labels = 8.0 + features @ (3.0 * rng.standard_normal(dim)) + 20.0 * rng.standard_normal(n)
        return cls(features, labels)

    def terms(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return -log(sigma^2) / 2 - r^2 / (2 sigma^2) at ``theta``, r = ``labels`` - ``rows`` . beta, (n,)."""
        with np.errstate(over="ignore"):
            rest = labels - rows[:, :self.dim - 1] @ theta[:-1]
            return -0.5 * theta[-1] - 0.5 * np.exp(-theta[-1]) * rest**2

    def term_gradients(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the gradient of `terms` of ``rows``, ``labels`` in ``theta``: beta and log sigma^2, (n, D)."""
        rows, precision = rows[:, :self.dim - 1], np.exp(-theta[-1])
        rest = labels - rows @ theta[:-1]
        return np.column_stack((precision * rest[:, None] * rows, 0.5 * precision * rest**2 - 0.5))

    def derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return gradient (D,) and Hessian (D, D) of `log_posterior` at ``theta``."""
        rows, precision = self.rows[:, :self.dim - 1], np.exp(-theta[-1])
        rest = self.labels - rows @ theta[:-1]
        pull, square = precision * (rows.T @ rest), precision * (rest @ rest)
        gradient, diagonal = self.prior_derivatives(theta)
        gradient = gradient + np.append(pull, 0.5 * (square - self.n))
        hessian = np.diag(diagonal)
        hessian[:-1, :-1] -= precision * rows.T @ rows
        hessian[:-1, -1] -= pull
        hessian[-1, :-1] -= pull
        hessian[-1, -1] -= 0.5 * square
        return gradient, hessian

    def with_noise(self, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return beta and sigma of ``draws`` (n, D)."""
        return draws[:, :-1], np.exp(0.5 * draws[:, -1])

    def mode_start(self) -> np.ndarray:
        """Return the least-squares fit, a start near the mode, from which Newton's method converges fast."""
        rows = self.rows[:, :self.dim - 1]
        beta = np.linalg.lstsq(rows, self.labels, rcond=None)[0]
        return np.append(beta, np.log(np.mean((self.labels - rows @ beta) ** 2) + 1e-12))


class BinaryScores(ScoreModel):
    """Model of labels 0 and 1 with P(1) = 1 / (1 + exp(-z))."""

    family: ClassVar[int] = LOGISTIC
    response: ClassVar[Any] = LogisticRegression

    def score_terms(self, z: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ``labels`` times ``z`` - log(1 + e^z), and its first and second derivative in z, (n,) each."""
        chance = 0.5 * (1 + np.tanh(0.5 * z))
        return labels * z - np.logaddexp(0, z), labels - chance, -chance * (1 - chance)


class CauchyLogistic(BinaryScores, Regression):
    """P(y_n = 1) = 1 / (1 + exp(-x_n . beta)), beta_i ~ Cauchy(0, 1).

    Positives may be rare, so coresets are stratified: half of the points positive, or all positives if there are
    fewer. Weights still start at N / M, as in the paper's experiments.

    Parameters
    ----------
    features, labels, intercept
        (n, p) without a column of ones, (n,) of 0 and 1, whether to prepend such a column.
    """

    title: ClassVar[str] = "Logistic regression"
    prior: ClassVar[int] = CAUCHY_PRIOR
    allowed: ClassVar[str] = "binary"

    @classmethod
    def synthetic(cls, n: int = 98_673, dim: int = 10, seed: int = 0, positives: float = 57.0) -> "CauchyLogistic":
        """Generate cancelled flights against ``dim`` features, by default as in the paper: N = 98,673, p = 10, 57 positives.

        The intercept makes ``positives``, between 0 and ``n`` >= 2, the expected number of labels 1. The same ``seed``
        gives the same data.
        """
        n = whole_number("n", n, 2, 10**8, "98673 is the paper's")
        dim = whole_number("dim", dim, 1, 1000, "10 is the paper's")
        positives = real_number("positives", positives, "57 is the paper's", above=0.0, below=n)
        rng = np.random.default_rng(seed)
        features = correlated_features(n, dim, rng)
        scores = features @ (0.3 * rng.standard_normal(dim))
        intercept = brentq(lambda at: expit(scores + at).sum() - positives, -40.0, 40.0)
        return cls(features, (rng.random(n) < expit(scores + intercept)).astype(float))

    def pick(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw min(ceil(``size`` / 2), all) positives and the rest negatives with ``rng``, without replacement."""
        positive, negative = np.flatnonzero(self.labels == 1), np.flatnonzero(self.labels == 0)
        taken = min(-(-size // 2), positive.size)
        taken = max(taken, size - negative.size)
        return np.concatenate((
            rng.choice(positive, size=taken, replace=False), rng.choice(negative, size=size - taken, replace=False),
        )).astype(np.int64)


class SoftplusCounts(PoissonRegression):
    """Counts with rate log(1 + exp(z)), for predictions."""

    def mean_function(self, scores: np.ndarray) -> np.ndarray:
        """Return the rates at ``scores``, elementwise."""
        return np.logaddexp(0.0, scores)


class SoftplusPoisson(Regression):
    """y_n ~ Poisson(log(1 + exp(x_n . beta))), beta ~ N(0, I).

    Counts in the hundreds put the mode hundreds of prior standard deviations away, so that chains started from the
    prior need the hot start.

    Parameters
    ----------
    features, labels, intercept
        (n, p) without a column of ones, (n,) counts, whether to prepend such a column.
    """

    title: ClassVar[str] = "Poisson regression"
    family: ClassVar[int] = POISSON
    allowed: ClassVar[str] = "counts"
    response: ClassVar[Any] = SoftplusCounts

    @classmethod
    def synthetic(cls, n: int = 15_641, dim: int = 8, seed: int = 0) -> "SoftplusPoisson":
        """Generate hourly counts of about 190 against ``dim`` features, by default as in the paper: N = 15,641, p = 8.

        ``n`` >= 2, ``dim`` >= 1; the same ``seed`` gives the same data.
        """
        n = whole_number("n", n, 2, 10**8, "15641 is the paper's")
        dim = whole_number("dim", dim, 1, 1000, "8 is the paper's")
        rng = np.random.default_rng(seed)
        features = rng.standard_normal((n, dim))
        beta = rng.permutation(np.resize([17.0, 71.0, -1.0, -14.0, 39.0, 2.5, -22.0, 0.6], dim))
        return cls(features, rng.poisson(np.logaddexp(0, 186.0 + features @ beta)))

    def score_terms(self, z: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ``labels`` times log(rate) - rate, and two derivatives in ``z``; log(rate) -> z far below 0."""
        rate, slope = np.logaddexp(0, z), 0.5 * (1 + np.tanh(0.5 * z))
        small = np.exp(np.minimum(z, FAR_BELOW))
        far = z < FAR_BELOW
        rate = np.where(far, small * (1 - 0.5 * small), rate)
        slope = np.where(far, small * (1 - small), slope)
        log_rate = np.where(far, z - 0.5 * small, np.log(np.where(far, 1.0, rate)))
        relative = np.where(far, 1 - 0.5 * small, slope / np.where(far, 1.0, rate))  # slope / rate
        bend = 1 - slope  # slope' = slope (1 - slope)
        return (labels * log_rate - rate, labels * relative - slope,
                labels * relative * (bend - relative) - slope * bend)

    def mode_start(self) -> np.ndarray:
        """Return the mean count as intercept and zeros elsewhere; all zeros without an intercept."""
        start = np.zeros(self.dim)
        if np.all(self.rows[:, 0] == 1):
            start[0] = self.labels.mean()
        return start


class BradleyTerry(BinaryScores):
    """P(home team h beats visitor v) = 1 / (1 + exp((theta_v - theta_h) / 400)), theta ~ N(0, I).

    With ratings on a scale of 400 and a prior standard deviation of 1 the data hardly change the posterior: its
    variances stay near 1 and any sampler of the prior scores well. Not an informative test; kept for completeness.

    Parameters
    ----------
    home, visitor : (n,) arrays of team numbers, counted from 0
    wins : (n,) array, 1 where the home team won
    teams : int, optional
        Number of teams; None is one more than the largest number.
    """

    title: ClassVar[str] = "Bradley-Terry"

    def __init__(self, home: ArrayLike, visitor: ArrayLike, wins: ArrayLike, teams: int | None = None) -> None:
        home, visitor = checked_teams("home", home), checked_teams("visitor", visitor)
        if home.shape != visitor.shape or np.any(home == visitor):
            raise ValueError(f"home and visitor must have one length and differ in every game, got {home.shape} and "
                             f"{visitor.shape}; drop games of a team against itself")
        most = int(max(home.max(), visitor.max())) + 1
        teams = most if teams is None else whole_number("teams", teams, most, MOST_TEAMS, "count every team")
        rows = np.zeros((home.size, teams))
        games = np.arange(home.size)
        rows[games, home] = 1 / ELO_SCALE
        rows[games, visitor] = -1 / ELO_SCALE
        super().__init__(rows, checked_labels(wins, home.size, "binary"), teams,
                         tuple(f"team {i + 1}" for i in range(teams)))

    @classmethod
    def synthetic(cls, n: int = 26_651, dim: int = 30, seed: int = 0) -> "BradleyTerry":
        """Generate games of ``dim`` teams with ratings N(0, 100^2), by default as in the paper: N = 26,651, d = 30.

        ``n`` >= 2, ``dim`` >= 2; the same ``seed`` gives the same data.
        """
        n = whole_number("n", n, 2, 10**8, "26651 is the paper's")
        dim = whole_number("dim", dim, 2, 1000, "30 is the paper's")
        rng = np.random.default_rng(seed)
        ratings = 100.0 * rng.standard_normal(dim)
        home = rng.integers(dim, size=n)
        visitor = (home + rng.integers(1, dim, size=n)) % dim
        chance = 1 / (1 + np.exp((ratings[visitor] - ratings[home]) / ELO_SCALE))
        return cls(home, visitor, rng.random(n) < chance, dim)


def checked_teams(name: str, values: ArrayLike) -> np.ndarray:
    """Return ``values`` as int64 (n,) team numbers counted from 0; ValueError otherwise."""
    wanted, advice = "team numbers 0, 1, 2, ... of shape (n,)", "number the teams first"
    array = real_array(name, values, wanted, advice)
    if array.ndim != 1 or array.size < 1 or not np.all((array >= 0) & (array < MOST_TEAMS) & (array == np.floor(array))):
        raise ValueError(f"{name} must be {wanted}, below {MOST_TEAMS:,}, got {shown(values)}; {advice}")
    return array.astype(np.int64)


def correlated_features(n: int, p: int, rng: np.random.Generator, correlation: float = 0.4) -> np.ndarray:
    """Draw (n, p) standard normal features with an autoregressive ``correlation`` of neighbours."""
    noise = rng.standard_normal((n, p))
    for j in range(1, p):
        noise[:, j] = correlation * noise[:, j - 1] + np.sqrt(1 - correlation**2) * noise[:, j]
    return noise
