"""`Measurements` of a setting, their `LIMITS`, and `Verdict`.

Limits of width, narrowness, lag, memory and resets are for measurements without noise: `Measurements.limits` adds an
allowance for noise, and `limit_words` formats both.
"""

import math
from dataclasses import dataclass
from typing import Any

from sampler.algorithms.algorithm_names import PLAIN
from sampler.arguments import real_number, shown
from sampler.settings import Settings

WIDTH_LIMIT = 0.10
"""Relative excess of the cloud's sd over the target's in one coordinate: a total variation distance of 5 %."""
NARROW_LIMIT = 0.10
"""Relative deficit of the cloud's sd in one coordinate."""
LAG_LIMIT = 0.25
"""Distance of the centres of cloud and target in one coordinate, in target widths: a total variation distance of 10 %."""
NOISE_LIMIT = 0.20
"""Variance of the gradient noise over that of the injected noise; adds about a tenth to the width."""
MEMORY_LIMIT = 0.5
"""Correlation of successive samples of a chain, the share of its start that it remembers after an epoch."""
RESETS_LIMIT = 0.001
"""Resets per chain and epoch."""
STALE_LIMIT = 0.05
"""Share of cached gradients older than t/2."""
LIMITS = {"width": WIDTH_LIMIT, "narrowness": NARROW_LIMIT, "lag": LAG_LIMIT, "noise": NOISE_LIMIT, "memory": MEMORY_LIMIT,
          "resets": RESETS_LIMIT, "stale": STALE_LIMIT}
"""Measurement -> limit."""
LARGEST_BATCH = 256
"""Largest batch suggested; beyond it, a shorter step is cheaper."""
LONG_STEP = 0.5
"""Step times largest curvature above which a step is long; 2 is unstable."""
SHORT_STEP = 0.1
"""Step times largest curvature to which a long step is shortened at most: there a Gaussian is widened by 1/sqrt(1 - 0.05),
2.6 %. Widths grow faster than proportionally to long steps, so a proportional reduction would be far too large."""
ACCURACY_MARGIN = 0.03
"""Difference between ceiling and accuracy that is not sampling noise (or three standard deviations, if larger)."""
ENOUGH_DRAWS = 200.0
"""Smallest number of effective draws of a reference to judge by."""
OLD = 0.3
"""Largest age of a reference, as a share of the stream, to judge by; it is moved along with the mode."""
CHANCE = 0.03
"""Probability that the noise of the largest of d coordinates exceeds its allowance."""
WARM_UP = 16
"""Smallest number of epochs to judge by."""


def amount(name: str, value: float) -> str:
    """Return a measurement in the unit of its limit: 12 %, 0.1 %, or for a lag 0.25 target widths.

    Parameters
    ----------
    name : str
        One of LIMITS.
    value : float
    """
    if name == "lag":
        return f"{value:.2f} target widths" if value < 1 else f"{value:,.1f} target widths"
    return f"{100 * value:.0f} %" if value >= 0.01 else f"{100 * value:.2g} %"


def limit_words(name: str, limit: float | None = None) -> str:
    """Return a limit as text, with its noise allowance if noticeable: "10 %, plus noise: 14 % here".

    Parameters
    ----------
    name : str
        One of LIMITS.
    limit : float, optional
        Limit including noise, from `Measurements.limits`; None: without noise.

    Raises
    ------
    ValueError
        For a name without a limit.
    """
    if not isinstance(name, str) or name not in LIMITS:
        raise ValueError(f"name must be one of {', '.join(LIMITS)}, got {shown(name)}")
    limit = None if limit is None else real_number("limit", limit, "take it from Measurements.limits", least=0.0)
    bare = amount(name, LIMITS[name])
    noisy = bare if limit is None else amount(name, limit)
    return bare if noisy == bare else f"{bare}, plus noise: {noisy} here"


_TOP = (1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504, 1.27045825245236838258,
        0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4)
_BOTTOM = (1.0, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
           0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9)


def normal_reach(chance: float) -> float:
    """Return the upper quantile of the standard normal law for a probability in [1.4e-11, 0.075], to 16 digits.

    Rational function of PPND16: M. J. Wichura, Algorithm AS 241, Applied Statistics 37 (1988).
    """
    r, top, bottom = math.sqrt(-math.log(chance)) - 1.6, 0.0, 0.0
    for above, below in zip(reversed(_TOP), reversed(_BOTTOM), strict=True):
        top, bottom = top * r + above, bottom * r + below
    return top / bottom


def poisson_quantile(share: float, mean: float) -> int:
    """Return the smallest k such that a Poisson variable is at most k with probability ``share`` or more, above 1e-20."""
    reach = 10.0 * math.sqrt(mean) + 20.0  # probabilities beyond ten standard deviations are negligible
    first = max(0, math.floor(mean - reach))
    weights = [1.0]  # proportional to the probabilities of first, first + 1, ...
    for k in range(first + 1, math.ceil(mean + reach)):
        weights.append(weights[-1] * mean / k)
    left, k = share * sum(weights), first
    while left > weights[k - first]:
        left -= weights[k - first]
        k += 1
    return k


JUDGED = ("accuracy", "ceiling", "ceiling_sd", "width_bias", "narrowness", "noise_share", "memory", "lag", "resets",
          "exits", "stale_share", "reference_draws")
"""Measurements that must be finite or None."""


@dataclass(frozen=True)
class Measurements:
    """Input of `judge`; None means not measured.

    Width, narrowness, lag and memory are those of the worst of ``dim`` coordinates. Without ``draws``, ``pairs`` and
    ``dim`` their noise is unknown, and a value past its limit is not judged a fault.
    """

    settings: Settings
    t: int
    chains: int
    epochs: int  #: epochs measured since the start or the last revival
    accuracy: float | None = None  #: marginal accuracy in [0, 1]
    ceiling: float | None = None  #: expected accuracy of exact draws
    ceiling_sd: float = 0.0
    predicted: float | None = None  #: accuracy predicted from eta0
    width_bias: float | None = None  #: ratio of sds of cloud and target, less 1; widest coordinate
    narrowness: float | None = None  #: 1 less the ratio of sds of cloud and target; narrowest coordinate
    dim: int | None = None  #: number of coordinates behind the worst width, narrowness, memory and lag
    draws: float | None = None  #: pooled draws behind accuracy, width and lag; inf: no noise; None: unknown
    spacing: int = 1  #: epochs between pooled draws
    pairs: float | None = None  #: pairs of successive samples behind the memory; inf and None as for draws
    noise_share: float | None = None  #: variance of the gradient noise over that of the injected noise
    memory: float | None = None  #: correlation of successive samples, largest coordinate
    lag: float | None = None  #: distance of the centres of cloud and target in target widths, largest coordinate
    resets: int = 0  #: in the last `resets_window` epochs, all chains
    exits: int | None = 0  #: in the last `window` epochs, all chains; None: not counted
    window: int = 480  #: epochs since the last change of a knob, at most a minute, in which exits are counted
    resets_window: int | None = None  #: epochs in which resets are counted; None: `window`
    own_checkpoint: bool = True  #: whether the checkpoint was taken with these settings; resets to another are not judged
    drifts: bool = False  #: whether the mode leaves balls that shrink as 1/sqrt(t + c): LMV-n Assumption 3 fails
    checkpoint_epoch: int = 0
    stale_share: float = 0.0  #: expected share of cached gradients older than t/2
    reference_draws: float | None = None  #: effective draws; None: exact or on a grid
    reference_epoch: int | None = None
    diverged: tuple[int, int, int] | None = None  #: chain, epoch, step
    diverged_chains: int = 0
    largest_curvature: float | None = None  #: largest eigenvalue of the Hessian of F_t at the mode; whitened if steps are
    largest_eta0: float | None = None  #: largest stable eta0 less a margin, measured
    advised: Settings | None = None  #: good settings of this problem, if available
    algorithm: str = PLAIN  #: algorithm of the settings
    counts_from: int | None = None  #: epoch after which the cloud counts; above t if resets to older checkpoints dominate

    @property
    def reset_rate(self) -> float:
        """Resets per chain and epoch."""
        return self.resets / self.reset_epochs

    @property
    def not_finite(self) -> tuple[str, ...]:
        """Names of the measurements that are NaN or infinite and cannot be judged."""
        return tuple(name for name in JUDGED if (value := getattr(self, name)) is not None and not math.isfinite(value))

    def has_noise(self, name: str) -> bool:
        """Return whether the counts that determine a measurement's noise were passed.

        Parameters
        ----------
        name : {"width", "narrowness", "lag", "memory"}
        """
        count = self.pairs if name == "memory" else self.draws
        return count is not None and not math.isnan(count) and (self.dim is not None or math.isinf(count))

    @property
    def limits(self) -> dict[str, float]:
        """Limits of width, narrowness, lag, memory, noise and resets, each with an allowance for measurement noise.

        The allowance is the number of standard errors that the largest of d coordinates exceeds with probability `CHANCE`.
        Standard errors with n effective draws, including the reference's: 1/sqrt(2n) for widths, 1/sqrt(n) for lag;
        for atanh of the memory 1/sqrt(pairs - 3) (Fisher). Resets are Poisson; a single reset is never a fault.
        With correlation r between pooled draws, the effective share of the draws
        is (1 - r^2)/(1 + r^2) for a width and (1 - r)/(1 + r) for a centre; r is the measured value plus a standard error.
        If the number of draws is unknown, there is no allowance.
        """
        reach = normal_reach(CHANCE / (self.dim or 1))
        step = 1.0 / math.sqrt(max(self.pairs - 3.0, 1.0)) if self.pairs is not None and self.has_noise("memory") else 0.0
        kept = min(math.tanh(math.atanh(min(max(self.memory or 0.0, 0.0), 0.99)) + step), 0.99)
        kept = kept**self.spacing if self.memory is not None else 0.0
        draws = self.draws if self.draws is not None and self.has_noise("width") else math.inf
        wide, centred = (self._effective(draws * (1 - r) / (1 + r)) for r in (kept**2, kept))
        return {
            "width": WIDTH_LIMIT + reach / math.sqrt(2.0 * wide),
            "narrowness": NARROW_LIMIT + reach / math.sqrt(2.0 * wide),
            "lag": LAG_LIMIT + reach / math.sqrt(centred),
            "memory": max(MEMORY_LIMIT, math.tanh(math.atanh(MEMORY_LIMIT) + reach * step)),
            "noise": NOISE_LIMIT,
            "resets": max(RESETS_LIMIT, self._resets_allowed / self.reset_epochs),
        }

    def _effective(self, draws: float) -> float:
        reference, draws = self.reference_draws or math.inf, max(draws, 1e-9)  # without draws, any width may be noise
        return 1.0 / (1.0 / draws + 1.0 / reference) if math.isfinite(draws) else math.inf

    @property
    def reset_epochs(self) -> int:
        """Epochs times chains in which resets were counted, at least 1."""
        return self.chains * max(self.window if self.resets_window is None else self.resets_window, 1)

    @property
    def _resets_allowed(self) -> float:
        """Number of resets exceeded with probability `CHANCE` at the limit: a Poisson quantile, at least 1."""
        return max(1.0, poisson_quantile(1.0 - CHANCE, RESETS_LIMIT * self.reset_epochs))

    @property
    def long_step(self) -> bool:
        """Whether step times largest curvature is above `LONG_STEP`."""
        return self.step_times_curvature > LONG_STEP

    @property
    def step_times_curvature(self) -> float:
        """Step times largest curvature; NaN if the curvature is unknown."""
        return math.nan if self.largest_curvature is None else self.step_size(self.t) * self.largest_curvature

    def step_size(self, t: int) -> float:
        """Return the step of epoch t in the coordinates of ``largest_curvature``: eta0/(t + c), or eta0 if whitened."""
        return self.settings.step_size(t) if self.algorithm == PLAIN else self.settings.eta0


@dataclass(frozen=True)
class Verdict:
    """Verdict on a setting.

    ``kind`` is one of safe, hot, narrow, cold, noisy, resets, lagging, stale, weak_reference, diverged, waiting.
    """

    kind: str
    title: str
    subtitle: str
    sentence: str
    suggestion: str
    change: dict[str, Any] | None = None  #: suggested change, for `Settings.replace(**change)`


def more_steps(settings: Settings, steps: int, why: str) -> tuple[str, dict[str, Any] | None]:
    """Return suggestion and change to raise i_max to `steps`; the change is None if i_max is at its maximum already."""
    if steps <= settings.i_max:
        return "More steps per epoch are needed, but i_max is at its maximum.", None
    return f"i_max = {steps:,}: {why}.", {"i_max": steps}
