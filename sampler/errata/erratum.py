"""One misprint or false statement of a paper, with numbers that show it."""

from collections.abc import Callable
from dataclasses import dataclass

TOLERANCE = 1e-9  #: relative, between numbers that are exact up to rounding
KINDS = ("misprint", "false statement", "false step", "loose bound")
PAPERS = {
    "LMV-a": "Lee, Mangoubi and Vishnoi, Online Sampling from Log-Concave Distributions, arXiv:1902.08179",
    "LMV-n": "Lee, Mangoubi and Vishnoi, Online Sampling from Log-Concave Distributions, NeurIPS 2019",
    "ZXG": "Zou, Xu and Gu, Subsampled Stochastic Variance-Reduced Gradient Langevin Dynamics, UAI 2018",
    "CHC": "Chen, Huggins and Campbell, Tuning-Free Coreset Markov Chain Monte Carlo via Hot DoG",
}
"""Short name of each paper, and its title."""


Numbers = tuple[float, float] | tuple[float, float, float]
"""Printed and true number of a counterexample, and the corrected one if it differs from the true one."""


@dataclass(frozen=True)
class Counterexample:
    """Printed and true value of one quantity.

    Attributes
    ----------
    setting : str
        Setting in which the quantity is computed.
    quantity : str
        Quantity that is computed.
    printed : float
        Value according to the text as printed; nan for 0/0.
    true : float
        True value.
    relation : {"equal", "at most", "at least"}
        Relation of ``true`` to ``printed`` claimed by the text.
    mended : float or None
        Value according to the corrected text, if it differs from ``true``.
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
        """Whether ``true`` agrees with the corrected text."""
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
    """Misprint or false statement in a paper.

    Attributes
    ----------
    key : str
        Name of the record.
    paper : str
        A key of ``PAPERS``.
    place : str
        Place in the paper.
    kind : str
        One of ``KINDS``: a misprint with an evident correction; a result that is false; an invalid step of a proof,
        whether or not its result holds; a valid bound that is far from tight.
    title : str
        Short description of the error.
    printed, holds : str
        Statement of the text, and the correct statement; x_{...} and x^{...} are lower and upper indices.
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
