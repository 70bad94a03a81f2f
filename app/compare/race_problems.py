"""Problems and samplers of a race: construction, names, and warnings about the data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linprog

from app.glossary import term_name
from app.plots.looks import sampler_look
from app.state.compare import CORESET, PROBLEMS, SAMPLERS, CompareConfig
from app.state.live import LiveState, default_config
from sampler import synthetic_stream
from sampler.racing import CONTESTANTS, RaceSetup

HORIZON = 65_536
"""Rows of a stream; the first T are those of Live with the same seed."""


def problem_of(config: CompareConfig) -> Any:
    """Return the problem of a race."""
    return config.coreset.problem if config.problem == CORESET else PROBLEMS[config.problem].problem


def refusals(config: CompareConfig) -> dict[str, str]:
    """Return sampler key -> reason, a sentence, for the samplers that cannot run on the problem."""
    problem = problem_of(config)
    reasons = {key: contestant.refuses(problem) for key, contestant in CONTESTANTS.items()}
    return {key: f"{sampler_look(key).name} {reason}." for key, reason in reasons.items() if reason}


def rows_of(config: CompareConfig, t: int, horizon: int = HORIZON) -> tuple[np.ndarray, ...]:
    """Return the first t rows of a race's stream, as arguments of `observe`."""
    problem = PROBLEMS[config.problem].problem
    made = synthetic_stream(problem.kind, problem.dim, config.stream, horizon, config.seed)
    return (made.features[:t],) if made.labels is None else (made.features[:t], made.labels[:t])


PAPER = {"sgld": "SGLD, the paper’s step"}
"""Name of SGLD when SAGA-LD has the paper's step: a fifth of it is the paper's step of SGLD."""


def names_of(config: CompareConfig) -> dict[str, str]:
    """Return key -> name for samplers with a special name in this race."""
    return PAPER if config.paper_step else {}


def name_of(key: str, config: CompareConfig) -> str:
    """Return a sampler's name in a race."""
    return sampler_look(key, names_of(config)).name


def marked(key: str, names: dict[str, str] | None = None) -> list[str]:
    """Return [key, name, mark, colour token], the first cells of a row of a table or switch list."""
    look = sampler_look(key, names)
    return [key, look.name, *look.sign]


def switch_rows(config: CompareConfig, keys: Sequence[str] = SAMPLERS) -> list[list[str]]:
    """Return the switch rows of these samplers."""
    blocked, names = refusals(config), names_of(config)
    return [[*(row := marked(key, names)), blocked.get(key, ""), "", term_name(row[1].split(",")[0])] for key in keys]


def parted(features: np.ndarray, labels: np.ndarray) -> bool:
    """Return whether a plane through the origin separates the labels; (t, d) features, (t,) labels."""
    signed = features * np.where(labels > 0.5, 1.0, -1.0)[:, None]
    # maximise the smallest margin over a box: positive if and only if such a plane exists
    d = features.shape[1]
    cost = np.zeros(d + 1)
    cost[-1] = -1.0
    solution = linprog(cost, A_ub=np.column_stack([-signed, np.ones(len(signed))]), b_ub=np.zeros(len(signed)),
                       bounds=[(-1.0, 1.0)] * d + [(None, 1.0)], method="highs")
    return bool(solution.status == 0 and -solution.fun > 1e-9)


def data_warnings(setup: RaceSetup) -> tuple[str, ...]:
    """Return warnings about the data of a race."""
    sentences, reference = [], setup.reference
    if setup.problem.kind == "logistic" and parted(*setup.data):
        far = float(np.linalg.norm(reference.mean))
        sentences.append(
            "A plane separates the labels, so that the likelihood has no mode. The prior keeps the mean at"
            f" |θ| = {far:.3g}, where the posterior is wide and skewed: Gaussian fits suffer most.")
    if setup.trouble:
        kind = setup.trouble.partition(":")[0]
        name = "SAGA-LD" if kind == "OnlineSagaLD" else "Preconditioned SAGA-LD"
        sentences.append(f"{name} diverged on its way through the stream: its step is too long. Lower η₀."
                         + (" The others start from a draw of the truth." if kind == "OnlineSagaLD" else ""))
    if reference.draws is not None and float(np.max(reference.rhat)) > 1.02:
        sentences.append(f"The reference consists of long chains with R-hat {np.max(reference.rhat):.3f}: small differences"
                         " are uncertain.")
    if setup.problem.kind == "oracle":
        sentences.append(
            "Scored against the full-data posterior’s means and standard deviations, as normal marginals: the error of the"
            " coreset itself remains with every sampler.")
        sentences.append(
            "An oracle has no Hessian: full Laplace computes one from differences of gradients, which are counted.")
    elif not reference.exact and reference.draws is None:
        sentences.append("The posterior is a ridge too thin for the reference grid: small differences are"
                         " uncertain.")
    return tuple(sentences)


def live_query(config: CompareConfig) -> dict[str, str]:
    """Return the Live page's URL parameters for the same problem, stream, seed, step and batch."""
    if config.problem not in PROBLEMS:
        return {}
    base = default_config(config.problem)
    knobs = LiveState.knobs()
    return LiveState.to_query(base.replace(
        stream=config.stream, seed=config.seed, eta0=knobs["eta0"].clamped(config.eta0),
        batch_size=knobs["batch_size"].clamped(config.batch_size), offset=PROBLEMS[config.problem].settings.offset))
