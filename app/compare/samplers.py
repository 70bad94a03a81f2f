"""The samplers as the page shows them: names, marks, colours, and which one gives its reason for staying out."""

from __future__ import annotations

from dataclasses import dataclass

from app.compare.problems import Choice
from sampler.racing import CONTESTANTS

DASHES: dict[str, list[int]] = {"line": [], "dash": [7, 4], "dots": [2, 4], "ring": [], "diamond": []}
"""Mark -> dash of the line."""


@dataclass(frozen=True)
class Look:
    """One sampler."""

    key: str  #: of CONTESTANTS
    name: str
    mark: str  #: as `DASHES`; "ring" and "diamond" are drawn without a line
    token: str
    width: float
    says: str  #: one sentence, on hover

    @property
    def text(self) -> str:
        """Token for words."""
        return {"sgld": "sgldtx", "acc": "acctx", "ref": "ink2", "mode": "ink"}.get(self.token, self.token)


LOOKS: dict[str, Look] = {look.key: look for look in (
    Look("saga", "SAGA-LD", "line", "chain", 2.8, "LMV Algorithm 2: b fresh gradients a step, the rest from its cache."),
    Look("precond", "Preconditioned SAGA-LD", "dash", "chain", 2.4,
         "SAGA-LD in coordinates in which the posterior is nearly round; our extension."),
    Look("sgld", "SGLD, ⅕ of the step", "line", "sgld", 2.2, "b fresh gradients a step, nothing remembered."),
    Look("sgld_same", "SGLD, SAGA-LD’s step", "ring", "sgld", 1.6, "The same, at the step SAGA-LD takes."),
    Look("mala", "MALA", "line", "ref", 1.8, "All gradients at each step, and a Metropolis test: exact."),
    Look("ula", "Full gradient (ULA)", "dash", "ref", 1.8, "All gradients at each step, no test."),
    Look("rwm", "Random-walk Metropolis", "dots", "ref", 1.8,
         "What the online Dikin walk becomes on the whole space: all data at each step, no gradient."),
    Look("pg", "Pólya-Gamma", "line", "mode", 1.6, "Gibbs sampling, exact, no step size; all data at each sweep."),
    Look("laplace", "Full Laplace", "diamond", "mode", 1.8, "A Gaussian at the mode with its curvature."),
    Look("online_laplace", "Online Laplace", "diamond", "mode", 1.8,
         "Chapelle and Li: a diagonal Gaussian, one pass as the data arrive."),
    Look("svrg", "SVRG-LD", "line", "acc", 1.8, "An anchor's full gradient corrects the batch; fixed data."),
    Look("svrg_plus", "SVRG-LD+", "dash", "acc", 1.8, "The same with an anchor on a fifth of the data."),
    Look("saga_fixed", "SAGA-LD, fixed data", "dots", "acc", 1.8, "SAGA-LD that fills its whole table first."),
    Look("cv_uld", "CV-ULD", "line", "bound", 1.8, "SVRG-LD's gradient in underdamped Langevin dynamics; fixed data."),
)}
"""Key -> sampler, in the order of the list."""

USUAL = ("saga", "precond", "sgld", "sgld_same", "mala", "ula", "pg", "laplace", "online_laplace")
"""Those that run at first."""

PAPER = "SGLD, the paper’s step"


def name_of(key: str, paper: bool = False) -> str:
    """Return a sampler's name; with `paper` SAGA-LD's step is the paper's, and so is a fifth of it SGLD's."""
    return PAPER if paper and key == "sgld" else LOOKS[key].name


def reasons(choice: Choice) -> dict[str, str]:
    """Return sampler -> why it cannot run on this problem, for those that cannot."""
    problem = choice.build()
    found = {key: CONTESTANTS[key].refuses(problem) for key in LOOKS}
    return {key: f"{LOOKS[key].name} {words}." for key, words in found.items() if words}
