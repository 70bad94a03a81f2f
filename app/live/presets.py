"""The problems and streams a person can choose, each problem with defaults found by simulation."""

from __future__ import annotations

from dataclasses import dataclass

from app.live.config import PAPER_DEFAULTS, LiveConfig


@dataclass(frozen=True)
class ProblemChoice:
    """One entry of the problem menu."""

    key: str
    label: str
    dim: int
    default: LiveConfig  #: with the stream "paper"
    coordinates: tuple[str, ...]  #: name of each coordinate
    truth: str  #: "exact", "grid" or "draws": how its target is known


@dataclass(frozen=True)
class StreamChoice:
    """One entry of the stream menu."""

    key: str
    label: str
    breaks: str  #: the assumption it strains, in words


def _names(dim: int, intercept: bool = False) -> tuple[str, ...]:
    digits = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    names = tuple(f"θ{i + 1}".translate(digits) for i in range(dim))
    return (*names[:-1], "intercept") if intercept else names


def _default(problem: str, seed: int, escape_radius: float, **settings: float) -> LiveConfig:
    return LiveConfig(
        problem=problem, seed=seed, escape_radius=escape_radius, settings=PAPER_DEFAULTS.replace(**settings)
    )


PROBLEMS: dict[str, ProblemChoice] = {
    choice.key: choice
    for choice in (
        ProblemChoice(
            "gaussian2",
            "Gaussian mean, d = 2",
            2,
            _default("gaussian2", 1, 16.0, eta0=0.2),
            _names(2),
            "exact",
        ),
        ProblemChoice(
            "linear2",
            "Linear regression, d = 2",
            2,
            _default("linear2", 1, 16.0, eta0=0.3),
            _names(2),
            "exact",
        ),
        ProblemChoice("logistic2", "Logistic regression, d = 2", 2, _default("logistic2", 1, 16.0), _names(2), "grid"),
        ProblemChoice(
            "logistic21",
            "Logistic regression, d = 20 + 1 (the paper's)",
            21,
            _default("logistic21", 1, 45.0, eta0=1.0, batch_size=64, i_max=150, acceptance_radius=80.0),
            _names(21, intercept=True),
            "draws",
        ),
        ProblemChoice(
            "poisson2",
            "Poisson regression, d = 2",
            2,
            _default("poisson2", 1, 16.0, eta0=0.3),
            _names(2),
            "grid",
        ),
    )
}

STREAMS: dict[str, StreamChoice] = {
    choice.key: choice
    for choice in (
        StreamChoice("paper", "As the paper", "nothing: independent rows of one truth"),
        StreamChoice("drifting", "Drifting truth", "3, slow drift: the truth turns as the data arrive"),
        StreamChoice(
            "ill_conditioned",
            "Ill-conditioned",
            "1 and 2: one direction is seen a hundred times less than the other",
        ),
        StreamChoice("separable", "Separable", "2, concentration: a plane parts the labels, nothing bounds the scale"),
        StreamChoice("outliers", "Outliers", "1, smoothness: one row in fifty is ten times as long"),
    )
}


def default_config(problem: str = "logistic2") -> LiveConfig:
    """Return the defaults of a problem; ValueError when there is no such problem."""
    if problem not in PROBLEMS:
        raise ValueError(f"problem must be one of {', '.join(PROBLEMS)}; got {problem!r}. Choose one.")
    return PROBLEMS[problem].default
