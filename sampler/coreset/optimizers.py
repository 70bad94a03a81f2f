"""Optimizers of coreset weights: Hot DoG, DoG, DoWG, ADAM, D-Adaptation, Prodigy, and none."""

from dataclasses import astuple, dataclass
from typing import ClassVar

import numpy as np

from sampler.arguments import choice, real_number, switch, whole_number
from sampler.kernels import coreset_optimizer_steps as steps


def check_averages(beta1: float, beta2: float, epsilon: float) -> None:
    """Raise ValueError unless both decays are in [0, 1) and epsilon is above 0."""
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        real_number(name, value, "0.9 and 0.999 are the usual choices", least=0.0, below=1.0)
    real_number("epsilon", epsilon, "1e-8 is usual", above=0.0)


@dataclass(frozen=True)
class Optimizer:
    """Hyperparameters of an optimizer of the weights; the state of a run is an `OptimizerState`.

    Weights are projected on w >= 0 after every step.
    """

    code: ClassVar[int]
    label: ClassVar[str]

    def constants(self) -> np.ndarray:
        """Return the arguments of the compiled step, (5,) float64: by default the fields in their order."""
        return self._padded(*astuple(self))

    def _padded(self, *values: float) -> np.ndarray:
        out = np.zeros(steps.CONSTANTS)
        out[:len(values)] = values
        return out

    def start(self, weights: np.ndarray) -> "OptimizerState":
        """Return a state with ``weights`` (M,) as w_0."""
        return OptimizerState(self, weights)

    def rates(self, state: "OptimizerState") -> np.ndarray:
        """Return each weight's factor of its (smoothed) gradient in the last step of ``state``, (M,); nan before the first.

        In units of weight per gradient, so that rates of different optimizers can be compared.
        """
        raise NotImplementedError


class OptimizerState:
    """Weights and the optimizer's memory of past gradients.

    Attributes
    ----------
    weights : (M,) current weights, changed in place by `step`
    start : (M,) w_0
    vectors, scalars : the compiled step's memory
    """

    def __init__(self, optimizer: Optimizer, weights: np.ndarray) -> None:
        self.optimizer = optimizer
        self.start = np.array(weights, dtype=float)
        self.weights = self.start.copy()
        self.vectors = np.zeros((steps.VECTORS, self.weights.size))
        self.scalars = np.zeros(steps.SCALARS)
        self.constants = optimizer.constants()

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return int(self.scalars[0])

    @property
    def rates(self) -> np.ndarray:
        """`Optimizer.rates` of the last step, (M,)."""
        if not self.steps:
            return np.full(self.weights.size, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.optimizer.rates(self)

    def step(self, gradient: np.ndarray) -> np.ndarray:
        """Make one step along ``gradient`` (M,), finite; return the weights (the array itself, not a copy)."""
        gradient = np.ascontiguousarray(gradient, dtype=float)
        if gradient.shape != self.weights.shape or not np.isfinite(gradient).all():
            raise ValueError(f"gradient must be finite, of shape {self.weights.shape}, got {gradient!r}; "
                             "one number per weight")
        steps.step(self.optimizer.code, self.weights, self.start, gradient, self.vectors, self.scalars, self.constants)
        return self.weights


@dataclass(frozen=True)
class Untrained(Optimizer):
    """No optimization: weights stay at w_0 = N / M."""

    code: ClassVar[int] = steps.UNTRAINED
    label: ClassVar[str] = "untrained"

    def rates(self, state: OptimizerState) -> np.ndarray:
        """Return zeros for the weights of ``state``, (M,)."""
        return np.zeros_like(state.weights)


@dataclass(frozen=True)
class DoG(Optimizer):
    """DoG (Ivgi, Hinder and Carmon, 2023): rate = largest distance from w_0 over the root of the sum of |g|^2.

    Differs from the paper: the last weights are used, not their average; r is the distance itself, not a share of
    |w_0|.

    Parameters
    ----------
    r : float > 0
        Initial distance, and its lower bound.
    """

    code: ClassVar[int] = steps.DOG
    label: ClassVar[str] = "DoG"

    r: float = 1e-3

    def __post_init__(self) -> None:
        real_number("r", self.r, "1e-3 is usual", above=0.0)

    def rates(self, state: OptimizerState) -> np.ndarray:
        """Return the rate, equal for all weights of ``state``, (M,)."""
        return np.full_like(state.weights, state.scalars[2] / np.sqrt(state.scalars[1]))


@dataclass(frozen=True)
class DoWG(DoG):
    """DoWG (Khaled, Mishchenko and Jin, 2023): rate = r_t^2 over the root of the sum of r_i^2 |g_i|^2.

    Parameters
    ----------
    r : float > 0
        Initial distance, and its lower bound.
    """

    code: ClassVar[int] = steps.DOWG
    label: ClassVar[str] = "DoWG"

    def rates(self, state: OptimizerState) -> np.ndarray:
        """Return the rate, equal for all weights of ``state``, (M,)."""
        return np.full_like(state.weights, state.scalars[2] ** 2 / np.sqrt(state.scalars[1]))


@dataclass(frozen=True)
class HotDoG(Optimizer):
    """Hot DoG (Chen, Huggins and Campbell, 2025, Algorithm 2); its hot start is `CoresetMCMC`'s ``hot_start``.

    Differs from the paper: d-hat is r at the first update (c = 1), where the paper prints the first iteration
    (t = 1); after a hot start that is 0 / 0. Weights are projected on w >= 0.

    Parameters
    ----------
    r : float > 0
        Distance that every weight moves in the first step.
    beta1, beta2 : float in [0, 1)
        Decay of the averages of gradients and distances, and of squared gradients.
    epsilon : float > 0
    floor : bool
        Whether d-hat is at least r (Appendix C.1's r_delta). Without it a weight with a first gradient of exactly
        0 never moves.
    """

    code: ClassVar[int] = steps.HOT_DOG
    label: ClassVar[str] = "Hot DoG"

    r: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    floor: bool = False

    def __post_init__(self) -> None:
        real_number("r", self.r, "1e-3 is the paper's", above=0.0)
        switch("floor", self.floor)
        check_averages(self.beta1, self.beta2, self.epsilon)

    def distances(self, state: OptimizerState) -> np.ndarray:
        """Return d-hat of the last step of ``state``, (M,): the estimated distance of each weight to its optimum."""
        count = state.scalars[0]
        d = np.full_like(state.weights, self.r) if count <= 1 else state.vectors[2] / (1 - self.beta1 ** (count - 1))
        return np.maximum(d, self.r) if self.floor else d

    def rates(self, state: OptimizerState) -> np.ndarray:
        """Return d-hat / sqrt(c (v-hat + epsilon)) of ``state``, (M,)."""
        count = state.scalars[0]
        second = state.vectors[0] / (1 - self.beta2**count)
        return self.distances(state) / np.sqrt(count * (second + self.epsilon))


@dataclass(frozen=True)
class Adam(Optimizer):
    """ADAM (Kingma and Ba, 2014) with projection on w >= 0.

    Parameters
    ----------
    rate : float > 0
    schedule : {"sqrt", "constant"}
        "sqrt" divides the rate by the square root of the number of steps, as the experiments on coresets do.
    beta1, beta2 : float in [0, 1)
    epsilon : float > 0
    """

    code: ClassVar[int] = steps.ADAM
    label: ClassVar[str] = "ADAM"

    rate: float = 1.0
    schedule: str = "sqrt"
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        real_number("rate", self.rate, "the usual grid is 1e-3 to 1e2", above=0.0)
        choice("schedule", self.schedule, ("sqrt", "constant"))
        check_averages(self.beta1, self.beta2, self.epsilon)

    def constants(self) -> np.ndarray:
        """Return rate, beta1, beta2, epsilon, and 1 if the rate decays, else 0."""
        return self._padded(self.rate, self.beta1, self.beta2, self.epsilon, float(self.schedule == "sqrt"))

    def rates(self, state: OptimizerState) -> np.ndarray:
        """Return rate_t / (sqrt(v-hat) + epsilon) of ``state``, (M,)."""
        count = state.scalars[0]
        rate = self.rate / np.sqrt(count) if self.schedule == "sqrt" else self.rate
        return rate / (np.sqrt(state.vectors[0] / (1 - self.beta2**count)) + self.epsilon)


@dataclass(frozen=True)
class DAdaptation(Optimizer):
    """D-Adaptation SGD (Defazio and Mishchenko, 2023): a lower bound d on the distance, rate d / |g_0|.

    With s the sum of rate_i g_i, d = max(d, 2 sum_i rate_i <g_i, s_i> / |s|). One noisy |g_0| fixes the
    scale permanently and the steps do not decay: on regressions the weights may diverge, which raises an error.

    Differs from the paper: Hot DoG's text gives it DoG's denominator; this is the rule its experiments run.

    Parameters
    ----------
    d0 : float > 0
        First lower bound.
    """

    code: ClassVar[int] = steps.D_ADAPTATION
    label: ClassVar[str] = "D-Adaptation"

    d0: float = 1e-6

    def __post_init__(self) -> None:
        real_number("d0", self.d0, "1e-6 is the authors'", above=0.0)

    def rates(self, state: OptimizerState) -> np.ndarray:
        """Return the rate, equal for all weights of ``state``, (M,)."""
        return np.full_like(state.weights, state.scalars[4])


@dataclass(frozen=True)
class Prodigy(Optimizer):
    """Prodigy ADAM (Mishchenko and Defazio, 2024) without bias correction, projected on w >= 0.

    Parameters
    ----------
    d0 : float > 0
        First lower bound of the distance.
    cosine_period : int >= 1 or None
        Period in steps of a cosine factor that falls from 1 to 0; None for no factor. The experiments of Hot DoG
        use 100; its text has none, and it makes results worse.
    beta1, beta2 : float in [0, 1)
    epsilon : float > 0
    """

    code: ClassVar[int] = steps.PRODIGY
    label: ClassVar[str] = "Prodigy"

    d0: float = 1e-6
    cosine_period: int | None = None
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        real_number("d0", self.d0, "1e-6 is the authors'", above=0.0)
        if self.cosine_period is not None:
            whole_number("cosine_period", self.cosine_period, 1, None, "100 is the authors'; None for no cosine")
        check_averages(self.beta1, self.beta2, self.epsilon)

    def constants(self) -> np.ndarray:
        """Return d0, beta1, beta2, epsilon and the cosine period (0 for none)."""
        return self._padded(self.d0, self.beta1, self.beta2, self.epsilon, float(self.cosine_period or 0))

    def rates(self, state: OptimizerState) -> np.ndarray:
        """Return d^2 cosine / (sqrt(v) + d epsilon) of ``state``, (M,); d^2 because the averages are of d g."""
        d = state.scalars[3]
        return d * d * state.scalars[4] / (np.sqrt(state.vectors[0]) + d * self.epsilon)
