"""The limits between good and bad measurements of a setting.

Those of width, lag, memory and resets are for measurements without noise; `Measurements` adds the noise there is.
"""

WIDTH_LIMIT = 0.10
"""A cloud this much wider than its target is too hot."""
NOISE_LIMIT = 0.20
"""Gradient noise at this share of the injected noise adds about a tenth to the width."""
MEMORY_LIMIT = 0.5
"""A chain that remembers more than half of its start gives no fresh sample."""
LARGEST_BATCH = 256
"""A larger batch is not suggested: a shorter step is cheaper."""
LONG_STEP = 0.5
"""Step times largest curvature from which a step is long; 2 is unstable."""
RESETS_LIMIT = 0.001
"""Share of a chain's epochs that throw it back."""
LAG_LIMIT = 0.5
"""Target widths between the cloud's centre and the target's."""
STALE_LIMIT = 0.05
"""Share of cached gradients older than t/2."""
ACCURACY_MARGIN = 0.03
"""Below the ceiling by more than this (or three standard deviations) is not sampling noise."""
ENOUGH_DRAWS = 200.0
"""A reference of fewer effective draws decides nothing."""
OLD = 0.3
"""A reference this share of the stream behind, moved along with the mode, decides nothing."""
SURE = 1.0
"""Standard errors beyond a limit, times sqrt(2 log 2d): what the largest of d coordinates reaches by chance."""
WARM_UP = 16
"""Epochs to wait for before judging."""
