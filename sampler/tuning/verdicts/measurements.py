"""What a verdict is made from: measurements of a setting, the limits between good and bad, and `Verdict` itself.

One table of the limits between good and bad measurements of a setting, and how they are said.

Those of width, narrowness, lag, memory and resets are for measurements without noise: `Measurements.limits` adds the noise
there is, and `limit_words` says both.
"""

import math
from dataclasses import dataclass
from typing import Any

from sampler.algorithms.algorithm_names import PLAIN
from sampler.arguments import real_number, shown
from sampler.settings import Settings

WIDTH_LIMIT = 0.10
"""A coordinate of the cloud this much wider than its target is too hot: 5 % of its mass lies elsewhere."""
NARROW_LIMIT = 0.10
"""A coordinate this much narrower than its target has not spread over it."""
LAG_LIMIT = 0.25
"""Target widths between the centres of the cloud and of the target, of any coordinate: 10 % of its mass lies elsewhere."""
NOISE_LIMIT = 0.20
"""Gradient noise at this share of the injected noise adds about a tenth to the width."""
MEMORY_LIMIT = 0.5
"""A chain that remembers more than half of its start gives no fresh sample."""
RESETS_LIMIT = 0.001
"""Share of a chain's epochs that throw it back."""
STALE_LIMIT = 0.05
"""Share of cached gradients older than t/2."""
LIMITS = {"width": WIDTH_LIMIT, "narrowness": NARROW_LIMIT, "lag": LAG_LIMIT, "noise": NOISE_LIMIT, "memory": MEMORY_LIMIT,
          "resets": RESETS_LIMIT, "stale": STALE_LIMIT}
"""Every limit that is cited where verdicts are explained, by the name of its measurement."""
LARGEST_BATCH = 256
"""A larger batch is not suggested: a shorter step is cheaper."""
LONG_STEP = 0.5
"""Step times largest curvature from which a step is long; 2 is unstable."""
SHORT_STEP = 0.1
"""The same of a step short enough: it widens a Gaussian by 1/sqrt(1 - 0.05), or 2.6 %. Widths grow faster than in proportion
to a long step: to shorten that in proportion to its width would go much too far."""
ACCURACY_MARGIN = 0.03
"""Below the ceiling by more than this (or three standard deviations) is not sampling noise."""
ENOUGH_DRAWS = 200.0
"""A reference of fewer effective draws decides nothing."""
OLD = 0.3
"""A reference this share of the stream behind, moved along with the mode, decides nothing."""
CHANCE = 0.03
"""Chance that the noise of the largest of d coordinates alone exceeds what is added to a limit."""
WARM_UP = 16
"""Epochs to wait for before judging."""


def amount(name: str, value: float) -> str:
    """Return a measurement as its limit is said: 12 %, 0.1 %, or for a lag 0.25 target widths.

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
    """Return a limit in words, with its noise where it is noticeable: "10 %, and what noise adds: 14 % here".

    Parameters
    ----------
    name : str
        One of LIMITS.
    limit : float, optional
        With the noise of the measurement, as `Measurements.limits` has it; None says the limit alone.

    Raises
    ------
    ValueError
        For a name that has no limit.
    """
    if not isinstance(name, str) or name not in LIMITS:
        raise ValueError(f"name must be one of {', '.join(LIMITS)}, got {shown(name)}")
    limit = None if limit is None else real_number("limit", limit, "take it of Measurements.limits", least=0.0)
    bare = amount(name, LIMITS[name])
    noisy = bare if limit is None else amount(name, limit)
    return bare if noisy == bare else f"{bare}, and what noise adds: {noisy} here"


_TOP = (1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504, 1.27045825245236838258,
        0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4)
_BOTTOM = (1.0, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
           0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9)


def normal_reach(chance: float) -> float:
    """Return the standard errors that a normal number exceeds with a chance in [1.4e-11, 0.075], to 16 digits.

    The quotient of polynomials of PPND16: M. J. Wichura, Algorithm AS 241, Applied Statistics 37 (1988).
    """
    r, top, bottom = math.sqrt(-math.log(chance)) - 1.6, 0.0, 0.0
    for above, below in zip(reversed(_TOP), reversed(_BOTTOM), strict=True):
        top, bottom = top * r + above, bottom * r + below
    return top / bottom


def poisson_quantile(share: float, mean: float) -> int:
    """Return the smallest k such that a Poisson number is k or less with the probability ``share``, above 1e-20."""
    reach = 10.0 * math.sqrt(mean) + 20.0  # beyond ten standard deviations there is nothing
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
"""Measurements that must be finite where there are any."""


@dataclass(frozen=True)
class Measurements:
    """Measurements that `judge` reads. None means not measured.

    Width, narrowness, lag and memory are those of the worst coordinate of ``dim``. Without ``draws``, ``pairs`` and
    ``dim`` their noise is unknown, and what is past a limit is not called a fault.
    """

    settings: Settings
    t: int
    chains: int
    epochs: int  #: epochs measured since the start or the last revival
    accuracy: float | None = None  #: marginal accuracy in [0, 1]
    ceiling: float | None = None  #: what an exact sampler would score
    ceiling_sd: float = 0.0
    predicted: float | None = None  #: accuracy that eta0 predicts
    width_bias: float | None = None  #: cloud's sd over target's sd, less 1; the widest coordinate
    narrowness: float | None = None  #: 1 less cloud's sd over target's sd; the narrowest coordinate
    dim: int | None = None  #: coordinates that width, narrowness, memory and lag are the largest of
    draws: float | None = None  #: pooled for accuracy, width and lag; inf: measured without noise; None: not known
    spacing: int = 1  #: epochs between those pooled
    pairs: float | None = None  #: of successive samples behind the memory; inf and None as of draws
    noise_share: float | None = None  #: gradient noise variance over the injected noise's
    memory: float | None = None  #: correlation of successive samples, highest coordinate
    lag: float | None = None  #: centre of the cloud to the target's, in target widths, largest coordinate
    resets: int = 0  #: in the last `resets_window` epochs, all chains
    exits: int | None = 0  #: in the last `window` epochs, all chains; None: not counted
    window: int = 480  #: epochs counted over: since the last change of a knob, at most a minute
    resets_window: int | None = None  #: epochs in which resets were counted; None: `window`
    own_checkpoint: bool = True  #: whether the checkpoint was taken with these settings; resets to another are not judged
    drifts: bool = False  #: whether the mode walks out of balls that shrink as 1/sqrt(t + c): LMV-n Assumption 3 fails
    checkpoint_epoch: int = 0
    stale_share: float = 0.0  #: cached gradients older than t/2, expected share
    reference_draws: float | None = None  #: effective draws; None: the target is known exactly or on a grid
    reference_epoch: int | None = None
    diverged: tuple[int, int, int] | None = None  #: chain, epoch, step
    diverged_chains: int = 0
    largest_curvature: float | None = None  #: largest eigenvalue of the Hessian of F_t at the mode, whitened where steps are
    largest_eta0: float | None = None  #: largest stable eta0 with a margin, measured
    advised: Settings | None = None  #: known good settings of this problem, if any
    algorithm: str = PLAIN  #: whose settings they are

    @property
    def reset_rate(self) -> float:
        """Share of a chain's epochs that threw it back, of the epochs in which resets were counted."""
        return self.resets / self.reset_epochs

    @property
    def not_finite(self) -> tuple[str, ...]:
        """Names of the measurements that are NaN or infinite, of which nothing can be said."""
        return tuple(name for name in JUDGED if (value := getattr(self, name)) is not None and not math.isfinite(value))

    def has_noise(self, name: str) -> bool:
        """Whether it was passed how many draws, of how many coordinates, a measurement is made from.

        Parameters
        ----------
        name : {"width", "narrowness", "lag", "memory"}
        """
        count = self.pairs if name == "memory" else self.draws
        return count is not None and not math.isnan(count) and (self.dim is not None or math.isinf(count))

    @property
    def limits(self) -> dict[str, float]:
        """What width, narrowness, lag, memory, noise and resets may reach: their limit and the noise of the measurement.

        The noise is as many standard errors as the largest of d coordinates exceeds with the chance `CHANCE`. Widths have
        1/sqrt(2n) of n effective draws, lag 1/sqrt(n), with the reference's own draws; atanh of the memory
        1/sqrt(pairs - 3) (Fisher); a number of resets is Poisson's, and one alone is chance.
        Chains that remember a share r between pooled draws
        have (1 - r^2)/(1 + r^2) of their draws for a width and (1 - r)/(1 + r) for a centre; r is taken a standard error
        above what was measured. Where the number of draws is not known, it is the limit alone.
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
        reference, draws = self.reference_draws or math.inf, max(draws, 1e-9)  # none yet: any width may be noise
        return 1.0 / (1.0 / draws + 1.0 / reference) if math.isfinite(draws) else math.inf

    @property
    def reset_epochs(self) -> int:
        """Epochs times chains in which resets were counted, at least 1."""
        return self.chains * max(self.window if self.resets_window is None else self.resets_window, 1)

    @property
    def _resets_allowed(self) -> float:
        """Resets that a chain at the limit exceeds with the chance `CHANCE`: a quantile of Poisson's law, at least 1."""
        return max(1.0, poisson_quantile(1.0 - CHANCE, RESETS_LIMIT * self.reset_epochs))

    @property
    def long_step(self) -> bool:
        """Whether the step is long for the largest curvature."""
        return self.step_times_curvature > LONG_STEP

    @property
    def step_times_curvature(self) -> float:
        """Step times largest curvature; NaN where that is not known."""
        return math.nan if self.largest_curvature is None else self.step_size(self.t) * self.largest_curvature

    def step_size(self, t: int) -> float:
        """Step of epoch t, in the coordinates of ``largest_curvature``: eta0/(t + c), or eta0 where they are whitened."""
        return self.settings.step_size(t) if self.algorithm == PLAIN else self.settings.eta0


@dataclass(frozen=True)
class Verdict:
    """One judgement.

    kind is one of safe, hot, narrow, cold, noisy, resets, lagging, stale, weak_reference, diverged, waiting.
    """

    kind: str
    title: str
    subtitle: str
    sentence: str
    suggestion: str
    change: dict[str, Any] | None = None  #: for `Settings.replace(**change)`; None: nothing to press


def more_steps(settings: Settings, steps: int, why: str) -> tuple[str, dict[str, Any] | None]:
    """Return the suggestion to raise i_max to `steps`, and the change; no change where i_max is as large already."""
    if steps <= settings.i_max:
        return f"Try {why}: i_max is as large as this page allows.", None
    return f"i_max = {steps:,}: {why}.", {"i_max": steps}
