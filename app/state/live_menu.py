"""Problems, streams and algorithms of the Live page, with defaults chosen by simulation, and their compatibility."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from app.state.user_data import OWN, UserData, advised
from sampler import GaussianMean, LinearRegression, LogisticRegression, PoissonRegression, Settings
from sampler.algorithms import ONLINE_ALGORITHMS, PLAIN

PAPER_DEFAULTS = Settings(eta0=1.0, batch_size=9, i_max=60, acceptance_radius=22.0, offset=1.0)
"""Live defaults of the logistic problem in two dimensions."""

KEEPS_ALL = "A gradient of your own keeps all data: Forget old data stays off."
"""Note of a problem without scores, from which no datum can be removed."""


@dataclass(frozen=True)
class ProblemChoice:
    """Entry of the problem menu, with the initial values of its knobs."""

    key: str
    label: str
    problem: object  #: problem of the sampler, with its prior
    truth: str  #: reference method for its target: "exact", "grid", "draws" or "laplace"
    seed: int
    escape_radius: float
    settings: Settings
    coordinates: tuple[str, ...]  #: name of each coordinate
    note: str = ""  #: notice displayed when it is selected

    @property
    def dim(self) -> int:
        """Number of coordinates, d."""
        return self.problem.dim


@dataclass(frozen=True)
class StreamChoice:
    """Entry of the stream menu."""

    key: str
    label: str
    labels: dict[str, str] = field(default_factory=dict)  #: kind of target -> label for it, if different


def coordinate_names(dim: int, intercept: bool = False) -> tuple[str, ...]:
    """Return the names θ₁, θ₂, ..., the last one "intercept" if ``intercept``."""
    names = tuple("θ" + "".join("₀₁₂₃₄₅₆₇₈₉"[int(digit)] for digit in str(i + 1)) for i in range(dim))
    return (*names[:-1], "intercept") if intercept else names


def _problem(key: str, label: str, problem: object, truth: str, seed: int, escape_radius: float,
             **settings: float) -> ProblemChoice:
    return ProblemChoice(key, label, problem, truth, seed, escape_radius, PAPER_DEFAULTS.replace(**settings),
                         coordinate_names(problem.dim, problem.dim > 2))


# Radii are about 5 standard deviations of the target; each seed was selected by counting, so that a few chains are reset
# and a few leave the ball in the first and in the second 240 epochs (30 s).
PROBLEMS: dict[str, ProblemChoice] = {choice.key: choice for choice in (
    _problem("gaussian2", "Gaussian mean, d = 2", GaussianMean(2), "exact", 5, 4.0, eta0=0.07, acceptance_radius=5.5),
    _problem("linear2", "Linear regression, d = 2", LinearRegression(2), "exact", 7, 5.5, eta0=0.1, acceptance_radius=7.5),
    _problem("logistic2", "Logistic regression, d = 2", LogisticRegression(2), "grid", 0, 16.0),
    _problem("logistic21", "Logistic regression, d = 20 + 1 (the paper's)", LogisticRegression(21), "draws", 4, 54.0,
             batch_size=64, i_max=150, acceptance_radius=80.0),
    _problem("poisson2", "Poisson regression, d = 2", PoissonRegression(2, prior_precision=1.0), "grid", 5, 6.2,
             eta0=0.1, acceptance_radius=8.5),
)}

STREAMS: dict[str, StreamChoice] = {choice.key: choice for choice in (
    StreamChoice("paper", "As the paper"),
    StreamChoice("drifting", "Drifting truth"),
    StreamChoice("ill_conditioned", "Ill-conditioned", {"gaussian_mean": "Uneven scatter"}),
    StreamChoice("separable", "Separable",
                 {"gaussian_mean": "Two far groups", "linear": "One direction unseen", "poisson": "One direction unseen"}),
    StreamChoice("outliers", "Outliers"),
)}

_OWN: WeakKeyDictionary[UserData, ProblemChoice] = WeakKeyDictionary()
"""Cache of the entries of user data, because advice takes time; an entry is dropped with its data."""


def stream_labels(kind: str) -> dict[str, str]:
    """Return label -> key of the streams for a kind of target, such as "gaussian_mean"."""
    return {choice.labels.get(kind, choice.label): key for key, choice in STREAMS.items()}


def choice_of(problem: str, user_data: UserData | None = None) -> ProblemChoice:
    """Return the entry of a problem; for the problem "given", that of the user's data.

    Raises
    ------
    ValueError
        If the problem is unknown, or "given" without data.
    """
    if problem == OWN and user_data is not None:
        if user_data not in _OWN:
            _OWN[user_data] = _choice_for(user_data)
        return _OWN[user_data]
    if problem not in PROBLEMS:
        raise ValueError(f"problem must be one of {', '.join(PROBLEMS)}; got {problem!r}. Choose one.")
    return PROBLEMS[problem]


def _choice_for(user_data: UserData) -> ProblemChoice:
    problem = user_data.problem
    truth = {"linear": "exact", "gaussian_mean": "exact", "oracle": "laplace"}.get(problem.kind)
    truth = truth or ("grid" if problem.dim == 2 else "draws")
    settings, radius, note = advised(user_data, PAPER_DEFAULTS)
    if problem.kind == "oracle":
        note = f"{note} {KEEPS_ALL}".strip()
    return ProblemChoice(OWN, user_data.label, problem, truth, 1, radius, settings, coordinate_names(problem.dim), note)


@dataclass(frozen=True)
class AlgorithmChoice:
    """Entry of the algorithm menu."""

    key: str
    label: str
    short: str  #: label of its button
    prefix: str  #: adjective of its chains; empty for the plain algorithm
    step: tuple[str, str] = ("η<sub>t</sub>", "= η₀/(t + c)")  #: HTML of the step's symbol, and its definition
    variance: str = "E‖g − ∇F‖², log scale"  #: subtitle of the gradient variance: its formula and units
    help: dict[str, str] = field(default_factory=dict)  #: knob -> help text, if different from the knob's own
    words: dict[str, str] = field(default_factory=dict)  #: knob -> label, if different from the knob's own
    unused: dict[str, str] = field(default_factory=dict)  #: knob -> reason why it is disabled


ALGORITHMS: dict[str, AlgorithmChoice] = {choice.key: choice for choice in (
    AlgorithmChoice(PLAIN, "SAGA-LD", "SAGA-LD", ""),
    AlgorithmChoice(
        "preconditioned", "Preconditioned SAGA-LD", "Preconditioned", "preconditioned ",
        step=("η<sub>0</sub>", "in its own metric"), variance="E‖L⁻¹(g − ∇F)‖² in its own metric, log scale",
        help={"eta0": "Step size: η₀ at every step, in the chain's own metric H, in which the target is nearly round.",
              "acceptance_radius": "Acceptance radius: a chain more than C′ standard deviations of its own metric from its"
                                   " checkpoint is reset to it, at most once per checkpoint.",
              "escape_radius": "Escape radius: the ball of radius R/√(t + c) around the mode, round in θ for every"
                               " algorithm. It changes the counts, not the chains."},
        words={"acceptance_radius": "reset beyond, sd"},
        unused={"offset": "not used except in R/√(t + c)"}),
)}


def unmet_requirement(algorithm: str, problem: ProblemChoice) -> str:
    """Return the requirement of an algorithm that a problem does not meet, without a full stop; "" if it can run."""
    kind, model = ONLINE_ALGORITHMS[algorithm], problem.problem
    if not kind.refusal(model):
        return ""
    flat = model.kind in kind.kinds and model.kind != "oracle"
    needs = "a prior precision above 0 in every coordinate" if flat else kind.needs
    return f"{ALGORITHMS[algorithm].label} needs {needs}"


def fallback_note(problem: ProblemChoice) -> str:
    """Return the sentence that a problem runs plain SAGA-LD, after its algorithm was refused."""
    return f"{problem.label} runs plain SAGA-LD."


def refusal(algorithm: str, problem: ProblemChoice) -> str:
    """Return why an algorithm cannot run on a problem, a sentence for the page; "" if it can."""
    why = unmet_requirement(algorithm, problem)
    return f"{why}, so {fallback_note(problem)}" if why else ""
