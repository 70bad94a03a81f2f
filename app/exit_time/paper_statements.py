"""Further statements of the paper, each with its numbers: Theorems 2.4 and 8.1, and the lower bound of section 11."""

from __future__ import annotations

from functools import cache

from app.number_words import scientific, short
from app.widgets.cards import folded
from sampler import synthetic_logistic
from sampler.errata import ERRATA
from sampler.theory import least_share, logistic_theorem, subset_distance

ROWS, FEATURES = 1000, 20
"""The paper's experiment; the intercept comes to the features."""
EPSILON = 1 / 20
"""Of section 11."""


@cache
def statements() -> str:
    """Return the statements as HTML paragraphs behind a fold."""
    return folded("Theorems 2.4 and 8.1 and the lower bound of section 11, each with its numbers",
                  "".join(f"<p>{words}</p>" for words in (_logistic(), _tail(), _hardness())))


def _logistic() -> str:
    theorem = logistic_theorem(*synthetic_logistic(ROWS, FEATURES))
    return (f"<b>Theorem 2.4 (as 8.2 has it), logistic regression.</b> Put into the paper’s experiment, with K = 1 for the"
            f" constant that it does not say, it speaks from t = {scientific(theorem.begins)} on. At T = {theorem.t:,} it"
            f" would allow the posterior a spread of {short(round(theorem.spread_bound))} where {theorem.spread:.2f} is so,"
            f" and its mode a distance of {scientific(theorem.mode_bound)} from the truth where"
            f" {theorem.mode_distance:.2f} is. Both hold for K ≥ {theorem.needed:.2g}. The D that follows for"
            f" Assumption 3 is {scientific(theorem.drift)}.")


def _tail() -> str:
    example = next(record for record in ERRATA if record.key == "posterior-tail").example()
    return (f"<b>Theorem 8.1 (and 8.2), part 2</b>, the posterior’s tail, is false. For the {example.setting}, it says"
            f" {_power_of_ten(example.printed)} where {_power_of_ten(example.true)} is so. The help has it among the"
            " errata.")


def _hardness() -> str:
    return (f"<b>Section 11, a lower bound.</b> In its example the law made of a random half of the gradients is on"
            f" average {subset_distance(0.5):.2f} away from π in total variation, and one no farther than"
            f" {EPSILON:g} takes {100 * least_share(EPSILON):.1f} % of them: Ω(T), as it says. So the work of past epochs"
            " has to be used again.")


def _power_of_ten(logarithm: float) -> str:
    """Return 10^x as 0.046, or as 10 to a whole power."""
    return f"{10**logarithm:.2g}" if logarithm > -4 else f"10<sup>−{round(-logarithm):,}</sup>"
