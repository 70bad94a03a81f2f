"""Total variation bound of one epoch from exit probability, gradient variance and step size.

LMV-a Lemmas 6.4 and 6.6 with the constants of the proof below. X_0 has the law mu_0, g_i = grad F(X_i) + zeta_i with
E[zeta_i | past] = 0, X_{i+1} = X_i - eta g_i + sqrt(2 eta) xi_i, pi is proportional to exp(-F), F is convex and
L-smooth on R^d, eta L <= 1, and X is X_i at an i uniform on 1..n, the epoch's last point. If the n gradients, at X_0,
..., X_{n-1}, have E||zeta_i||^2 <= sigma^2 for every i or on average over i, then

    KL(law of X | pi) <= W2(mu_0, pi)^2 / (2 eta n)  +  eta L d  +  eta sigma^2 (1 + eta L) / 2
                             start                      step         noise.

**Proof** (that of Durmus, Majewski and Miasojedow 2019 for their Corollary 18, which LMV cites). Let x have the law
mu_i, y the law pi, coupled so that E||x - y||^2 = W2(mu_i, pi)^2 and conditional on x, y is independent of the past. Write
x' = x - eta g and x'' = x' + sqrt(2 eta) xi, s^2 = E||zeta||^2.

1. E||x' - y||^2 = E||x - y||^2 - 2 eta E<grad F(x), x - y> + eta^2 E||grad F||^2 + eta^2 s^2, since zeta has mean 0
   conditional on x and y; convexity: <grad F(x), x - y> >= F(x) - F(y).
2. E F(x') <= E F(x) - eta (1 - eta L/2) E||grad F||^2 + eta^2 L s^2 / 2, by smoothness.
3. 1 plus 2 eta times 2, with eta L <= 1:
   2 eta (E F(x') - E F(y)) <= W2(mu_i, pi)^2 - W2(law x', pi)^2 + eta^2 s^2 (1 + eta L).
4. E F(x'') <= E F(x') + eta L d, by smoothness.
5. The heat flow is the gradient flow of the entropy H, which is convex along W2 geodesics:
   2 eta (H(law x'') - H(pi)) <= W2(law x', pi)^2 - W2(law x'', pi)^2.
6. KL = E F + H up to a constant, so 3 + 4 + 5: 2 eta KL(mu_{i+1} | pi) <= W2(mu_i, pi)^2 - W2(mu_{i+1}, pi)^2
   + 2 eta^2 L d + eta^2 s_i^2 (1 + eta L). The sum over i = 0, ..., n - 1 telescopes: on the left the laws of X_1, ..., X_n,
   which average to that of X, and KL is convex in its first argument; on the right the noise at X_0, ..., X_{n-1}.

Pinsker: TV <= sqrt(KL / 2). If sigma^2 is known only inside a ball, couple a second chain that makes the same steps
inside and full-gradient steps after its exit. The bound holds for it, and it equals the original chain until the exit:

    TV(law of X, pi) <= P(exit) + sqrt((start + step + noise) / 2).

A preconditioned chain, x <- x - eta H^-1 g + sqrt(2 eta) H^(-1/2) xi with H fixed within the epoch, is this chain in
the coordinates C'x, H = C C': the bounds hold with W2, sigma^2 and L in that metric. If each of K chains has a separate
H, the law of X is the mean of their laws, KL is convex, and the bounds hold with the means of W2^2 and sigma^2 over the
chains and the largest L.

Differs from the paper: eq. 39 prints sqrt(eta) xi, with the target exp(-2 F); eq. 53's second chain drops the
noise outside the ball, so that Lemma 6.4 does not apply to it. Lemma 6.4 itself, KL <= eps when
eta <= eps / (2 (L d + sigma^2)) and n >= W2^2 / (eta eps), is ``.lemma``: never smaller.
"""

import math
from dataclasses import dataclass

import numpy as np

from sampler.arguments import choice, is_infinite, real_number, sample_array, square_matrix, switch, vector, whole_number

VACUOUS = 0.9999
INPUTS = {"wasserstein": "W2(start, pi)", "variance": "sigma^2", "smoothness": "L", "exit_probability": "P(exit)"}


@dataclass(frozen=True)
class EpochCertificate:
    """Total variation bound of an epoch of n steps, returned by ``epoch_certificate``."""

    value: float  #: bound on TV(law of X^t, pi_t), in [0, 1]
    exit: float  #: P(exit), in total variation
    start: float  #: W2^2 / (2 eta n), in KL
    step: float  #: eta L d, in KL
    noise: float  #: eta sigma^2 (1 + eta L) / 2, in KL
    lemma: float  #: ``value`` with the constants of Lemma 6.4, in [0, 1]
    measured: tuple[str, ...]  #: inputs measured on a run: estimates on which the bound depends
    certified: tuple[str, ...]  #: inputs that are proved bounds
    conditions: tuple[str, ...]  #: reasons why there is no bound (the value is 1); empty otherwise

    @property
    def divergence(self) -> float:
        """Bound on the Kullback-Leibler divergence of the second chain of the proof; inf if there is no bound."""
        return self.start + self.step + self.noise

    @property
    def words(self) -> str:
        """Reason why the value is 1, and the setting to change; "" if the bound is below 1."""
        if self.value < VACUOUS:
            return ""
        if self.conditions:
            return self.conditions[0]
        parts = {"the exit probability: raise r, or lower eta or n": self.exit,
                 "the start: raise i_max, or start nearer": math.sqrt(self.start / 2.0),
                 "the step size: lower eta0": math.sqrt(self.step / 2.0),
                 "the gradient's noise: lower eta0, or raise b": math.sqrt(self.noise / 2.0)}
        worst = max(parts, key=lambda name: parts[name])
        return f"The bound is vacuous, TV <= 1; its largest part is {worst}."


def epoch_certificate(
    dim: int, step_size: float, i_max: int, wasserstein: float | None, variance: float | None, smoothness: float | None,
    exit_probability: float | None, random_length: bool = True, measured: tuple[str, ...] = (),
) -> EpochCertificate:
    """Bound the total variation between the sample of one epoch and its posterior.

    Parameters
    ----------
    dim : d.
    step_size : eta > 0.
    i_max : n, 1 or more; the epoch makes a number of steps uniform on 1..n.
    wasserstein : W2(mu_0, pi) >= 0 at the epoch's start, or an upper bound such as ``coupling_distance``.
    variance : sigma^2 >= 0, a bound on E||zeta||^2 at every step inside the ball, or on the mean of E||zeta_i||^2 over
        X_0, ..., X_{n-1}, where the n gradients are evaluated, which suffices in the proof. The mean over X_1, ..., X_n
        differs by (E||zeta_n||^2 - E||zeta_0||^2)/n: add E||zeta_0||^2/n to a mean measured there.
    smoothness : L >= 0 of F, on all of R^d; inf if there is none (Poisson).
    exit_probability : P(exit) in [0, 1] from the ball within the n steps, or the mean over 1..n of P(exit by i).
        0 if ``variance`` is a bound on all of R^d.
    random_length : False: every epoch makes n steps, and the value is 1.
    measured : names among ``wasserstein``, ``variance``, ``smoothness``, ``exit_probability`` of inputs
        measured on a run, not proved.

    Returns
    -------
    EpochCertificate
        If an input is None, that is, not known, the value is 1 and ``.conditions`` gives the reason.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Examples
    --------
    >>> round(epoch_certificate(2, 0.01, 1000, 1.0, 0.0, 1.0, 0.0).value, 3)
    0.187
    """
    d = whole_number("dim", dim, advice="give the number of coordinates")
    eta = real_number("step_size", step_size, "give eta = eta0 / (t + c)", above=0.0)
    n = whole_number("i_max", i_max, advice="give the largest number of steps of the epoch")
    inputs = {"smoothness": smoothness, "wasserstein": wasserstein, "variance": variance,
              "exit_probability": exit_probability}
    random_length = switch("random_length", random_length)
    for name in measured:
        choice("measured", name, tuple(INPUTS), "name inputs")
    values = {name: math.inf if value is None or is_infinite(value) else real_number(
        name, value, f"it is {INPUTS[name]}", least=0.0, most=1.0 if name == "exit_probability" else math.inf)
        for name, value in inputs.items()}
    conditions = [f"{name} is not known ({INPUTS[name]}): the bound is 1."
                  for name, value in values.items() if value == math.inf]
    L = values["smoothness"]
    if L < math.inf and eta * L > 1.0:
        conditions.append(f"eta = {eta:g} is above 1/L = {1 / L:g}, the limit of the lemma: the bound is 1.")
    if not random_length:
        conditions.append("The lemma bounds a sample at a random step of the epoch; after a fixed number of steps "
                          "the bound is 1. Turn the random length on.")
    estimates, proved = (tuple(name for name in INPUTS if (name in measured) == wanted and values[name] < math.inf)
                         for wanted in (True, False))
    if conditions:
        return EpochCertificate(1.0, min(values["exit_probability"], 1.0), math.inf, math.inf, math.inf, 1.0, estimates,
                                proved, tuple(conditions))
    W2, sigma2, leave = values["wasserstein"] ** 2, values["variance"], values["exit_probability"]
    start, step, noise = W2 / (2.0 * eta * n), eta * L * d, 0.5 * eta * sigma2 * (1.0 + eta * L)
    printed = max(2.0 * eta * (L * d + sigma2), W2 / (eta * n))
    return EpochCertificate(
        min(leave + math.sqrt(0.5 * (start + step + noise)), 1.0), leave, start, step, noise,
        min(leave + math.sqrt(0.5 * printed), 1.0), estimates, proved, ())


def coupling_distance(start: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> float:
    """Return the root of E||X_0 - Y||^2 for independent X_0 and Y ~ pi, an upper bound on W2(mu_0, pi).

    Parameters
    ----------
    start : (K, d) array
        Initial positions of the chains, or one point, (1, d).
    mean, covariance : (d,), (d, d) arrays
        Of pi; ValueError if the trace of the covariance is negative.
    """
    start = sample_array("start", start)
    mean = vector("mean", mean, start.shape[1])
    covariance = square_matrix("covariance", covariance, start.shape[1])
    if np.trace(covariance) < 0:
        raise ValueError(f"covariance must have a trace of 0 or more, got {np.trace(covariance):g}; measure it from draws")
    return float(np.sqrt(((start - mean) ** 2).sum(axis=1).mean() + np.trace(covariance)))
