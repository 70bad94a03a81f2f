"""One table of the limits between good and bad measurements of a setting, and how they are said.

Those of width, narrowness, lag, memory and resets are for measurements without noise: `Measurements.limits` adds the noise
there is, and `limit_words` says both.
"""

from sampler.arguments import real_number, shown

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
