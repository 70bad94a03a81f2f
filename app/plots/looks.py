"""Display name, colour role, dash and line width of each sampler and coreset optimizer."""

from __future__ import annotations

from typing import NamedTuple

from app.plots.style import ROLES


class Look(NamedTuple):
    """Look of one sampler or optimizer."""

    name: str
    short: str  #: label at the end of a line on a phone
    role: str  #: colour role, see `app.plots.style.ROLES`
    mark: str = "line"
    width: float = 1.8

    @property
    def sign(self) -> list[str]:
        """[mark, colour token of `app.theme`]: the fields after the name in rows of tables and switches."""
        return [self.mark, ROLES[self.role][0]]


SAMPLER_LOOKS: dict[str, Look] = {
    "saga": Look("SAGA-LD", "SAGA-LD", "ours", "line", 2.0),
    "precond": Look("Preconditioned SAGA-LD", "Preconditioned", "ours", "dash", 2.4),
    "ladder": Look("LMV Algorithm 3", "Algorithm 3", "ours", "dash"),
    "sgld": Look("SGLD, ⅕ of the step", "SGLD, ⅕ step", "rival", "line", 2.2),
    "sgld_same": Look("SGLD, SAGA-LD’s step", "SGLD, same step", "rival", "ring", 1.6),
    "sgld_quiet": Look("SGLD, quiet", "SGLD, quiet", "rival", "dash"),
    "mala": Look("MALA", "MALA", "reference", "line"),
    "ula": Look("Full gradient (ULA)", "ULA", "reference", "dash"),
    "rwm": Look("Random-walk Metropolis", "Random walk", "reference", "dots"),
    "pg": Look("Pólya-Gamma", "Pólya-Gamma", "truth", "line", 1.6),
    "laplace": Look("Full Laplace", "Laplace", "truth", "diamond"),
    "online_laplace": Look("Online Laplace", "Online Laplace", "truth", "diamond"),
    "warm_laplace": Look("Refitted Laplace", "Refitted Laplace", "truth", "diamond"),
    "rvga": Look("R-VGA", "R-VGA", "truth", "diamond"),
    "ibis": Look("IBIS, waste-free", "IBIS", "kin", "diamond"),
    "cv_sgld": Look("CV-SGLD, reshuffled", "CV-SGLD", "kin", "spots"),
    "mh_ss": Look("MH-SS", "MH-SS", "truth", "dash"),
    "zigzag": Look("Zig-Zag", "Zig-Zag", "truth", "dashdot"),
    "svrg": Look("SVRG-LD", "SVRG-LD", "kin", "line"),
    "svrg_plus": Look("SVRG-LD+", "SVRG-LD+", "kin", "dash"),
    "plus": Look("SVRG-LD+", "SVRG-LD+", "kin", "dash"),
    "half": Look("SVRG-LD+, B = n/2", "B = n/2", "kin", "dashdot"),
    "saga_fixed": Look("SAGA-LD, fixed data", "SAGA, fixed", "kin", "dots"),
    "cv_uld": Look("CV-ULD", "CV-ULD", "bound", "dashdot"),
    "nuts_warm": Look("NUTS, warm-started", "NUTS, warm", "hot", "dashdot"),
    "nuts_scratch": Look("NUTS from scratch", "NUTS, scratch", "hot", "dots"),
    "prior": Look("The prior alone", "Prior", "reference", "diamond"),
    "uld": Look("CV-ULD", "CV-ULD", "bound", "dashdot"),
}
"""Key of a contestant or of an offline sampler -> its look."""


def sampler_look(key: str, names: dict[str, str | tuple[str, str]] | None = None) -> Look:
    """Return the look of a sampler by its key or by a name such as ``svrg_family`` returns; grey for other names.

    Parameters
    ----------
    key : str
    names : dict of key to name, or to (name, short name), optional
        Names that replace the default ones.
    """
    look = SAMPLER_LOOKS.get(key)
    if look is None:
        alike = [one for one in SAMPLER_LOOKS.values() if key.startswith(one.short)]
        usual = SAMPLER_LOOKS["sgld"] if key.startswith("SGLD") else None
        family = max(alike, key=lambda one: len(one.short), default=usual)
        look = Look(key, key, "reference", "line") if family is None else family._replace(name=key, short=key, width=1.8)
    if not names or key not in names:
        return look
    name, brief = (names[key], names[key]) if isinstance(names[key], str) else names[key]
    return look._replace(name=name, short=brief)


OPTIMIZER_LOOKS = {
    "hot_dog": Look("Hot DoG", "Hot DoG", "ours", width=1.8),
    "dog": Look("DoG", "DoG", "kin"),
    "dowg": Look("DoWG", "DoWG", "kin", "dots"),
    "d_adaptation": Look("D-Adaptation", "D-Adapt.", "bound", "dots"),
    "prodigy": Look("Prodigy", "Prodigy", "truth", width=1.4),
    "adam_sqrt": Look("ADAM, rate/√t", "ADAM/√t", "rival"),
    "adam_const": Look("ADAM, constant", "ADAM const", "exit", "dots"),
    "untrained": Look("untrained", "untrained", "reference", width=1.6),
}
"""Key of an optimizer -> its look."""
COLD = {"line": "dash", "dots": "dashdot"}
"""Mark of a run -> mark of the same run without a hot start, if both are drawn."""


def optimizer_look(key: str) -> Look:
    """Return the look of a run by its optimizer's key or name, with the suffix ", cold" for runs without a hot start."""
    name, _, kind = key.partition(", cold")
    named = (look for look in OPTIMIZER_LOOKS.values() if name in (look.name, look.short))
    look = OPTIMIZER_LOOKS.get(name) or next(named, Look(name, name, "reference"))
    if name not in OPTIMIZER_LOOKS:
        look = look._replace(name=name)
    if key == name:
        return look
    return look._replace(name=f"{look.name}, cold", short=f"{look.short}, cold", mark=COLD[look.mark])
