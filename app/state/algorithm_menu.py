"""The algorithms that Live can run: what they are called, what their knobs mean, and which problems they take."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.state.problem_menu import ProblemChoice
from sampler.algorithms import ONLINE_ALGORITHMS, PLAIN


@dataclass(frozen=True)
class AlgorithmChoice:
    """One entry of the algorithm menu."""

    key: str
    label: str
    short: str  #: on its button
    prefix: str  #: what its chains are called, before "chains"; empty for the plain ones
    step: tuple[str, str] = ("η<sub>t</sub>", "= η₀/(t + c)")  #: HTML of the step's symbol, and what it is
    variance: str = "E‖g − ∇F‖², log scale"  #: what the gradient variance is measured in
    help: dict[str, str] = field(default_factory=dict)  #: knob -> what it means here, where that differs from its own words
    words: dict[str, str] = field(default_factory=dict)  #: knob -> what it is, in two or three words, where that differs
    unused: dict[str, str] = field(default_factory=dict)  #: knob -> why it cannot be turned


ALGORITHMS: dict[str, AlgorithmChoice] = {choice.key: choice for choice in (
    AlgorithmChoice(PLAIN, "SAGA-LD", "SAGA-LD", ""),
    AlgorithmChoice(
        "preconditioned", "Preconditioned SAGA-LD", "Preconditioned", "preconditioned ",
        step=("η<sub>0</sub>", "in its own metric"), variance="E‖L⁻¹(g − ∇F)‖² in its own metric, log scale",
        help={"eta0": "Step size: every step is η₀ long in the chain's own metric H, in which the target is nearly round.",
              "acceptance_radius": "Acceptance radius: a chain more than C′ standard deviations of its own metric from its"
                                   " checkpoint is put back there, once a checkpoint.",
              "escape_radius": "Escape radius: the ball R/√(t + c) round the mode, round in θ for every algorithm. It"
                               " changes what is counted, not the chains."},
        words={"acceptance_radius": "reset beyond, sd"},
        unused={"offset": "not used except in R/√(t + c)"}),
)}


def lack(algorithm: str, problem: ProblemChoice) -> str:
    """Return what an algorithm needs that a problem lacks, without a full stop; empty where it can run."""
    kind, model = ONLINE_ALGORITHMS[algorithm], problem.problem
    if not kind.refusal(model):
        return ""
    flat = model.kind in kind.kinds and model.kind != "oracle"
    needs = "a prior precision above 0 in every coordinate" if flat else kind.needs
    return f"{ALGORITHMS[algorithm].label} needs {needs}"


def taken_instead(problem: ProblemChoice) -> str:
    """Return what a problem runs whose algorithm was refused."""
    return f"{problem.label} runs plain SAGA-LD."


def refusal(algorithm: str, problem: ProblemChoice) -> str:
    """Return why an algorithm cannot run on a problem, a sentence for the page; empty where it can."""
    why = lack(algorithm, problem)
    return f"{why}, so {taken_instead(problem)}" if why else ""
