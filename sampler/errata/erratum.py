"""One misprint or false statement of a paper, with numbers that show it."""

from collections.abc import Callable
from dataclasses import dataclass

TOLERANCE = 1e-9  #: relative, of a comparison of two numbers that are exact to rounding
KINDS = ("misprint", "false statement", "false step", "loose bound")
PAPERS = {
    "LMV-a": "Lee, Mangoubi and Vishnoi, Online Sampling from Log-Concave Distributions, arXiv:1902.08179",
    "LMV-n": "Lee, Mangoubi and Vishnoi, Online Sampling from Log-Concave Distributions, NeurIPS 2019",
    "ZXG": "Zou, Xu and Gu, Subsampled Stochastic Variance-Reduced Gradient Langevin Dynamics, UAI 2018",
    "CHC": "Chen, Huggins and Campbell, Tuning-Free Coreset Markov Chain Monte Carlo via Hot DoG",
}
"""Short name of each paper, and its title."""


Numbers = tuple[float, float] | tuple[float, float, float]
"""Printed and true number of a counterexample, and the mended one where that differs from the true one."""


@dataclass(frozen=True)
class Counterexample:
    """Two numbers for one quantity: what the text gives, and what is so.

    Attributes
    ----------
    setting : str
        Where the quantity is computed.
    quantity : str
        What is computed.
    printed : float
        What the text, read as it stands, says; nan where it divides nothing by nothing.
    true : float
        What is so.
    relation : {"equal", "at most", "at least"}
        What the text claims of ``true`` against ``printed``.
    mended : float or None
        What the text says once it is mended, where that differs from ``true``.
    """

    setting: str
    quantity: str
    printed: float
    true: float
    relation: str = "equal"
    mended: float | None = None

    @property
    def refutes(self) -> bool:
        """Whether ``true`` contradicts the text."""
        return not self._holds(self.printed)

    @property
    def mends(self) -> bool:
        """Whether ``true`` agrees with the mended text."""
        return self.mended is None or self._holds(self.mended)

    def _holds(self, stated: float) -> bool:
        slack = TOLERANCE * max(abs(stated), abs(self.true))
        if self.relation == "at most":
            return self.true <= stated + slack
        if self.relation == "at least":
            return self.true >= stated - slack
        return abs(self.true - stated) <= slack


@dataclass(frozen=True)
class Erratum:
    """A place where a paper's text is not what its authors can have meant, or is not so.

    Attributes
    ----------
    key : str
        Name of the record.
    paper : str
        A key of ``PAPERS``.
    place : str
        Where it stands.
    kind : str
        One of ``KINDS``: a slip whose repair is plain; a result that does not hold; a step of a proof that does not
        follow, whatever becomes of its result; a bound that holds and is far from what it bounds.
    title : str
        What is wrong, in a few words.
    printed, holds : str
        What the text says, and what is so; x_{...} and x^{...} are lower and upper indices.
    example : callable
        Computes the counterexample.
    """

    key: str
    paper: str
    place: str
    kind: str
    title: str
    printed: str
    holds: str
    example: Callable[[], Counterexample]
