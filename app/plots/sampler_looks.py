"""How each sampler looks and is named, wherever it is drawn: its colour (by a role), its dash, its width."""

from __future__ import annotations

from app.plots.look import Look

LOOKS: dict[str, Look] = {
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
    "svrg": Look("SVRG-LD", "SVRG-LD", "kin", "line"),
    "svrg_plus": Look("SVRG-LD+", "SVRG-LD+", "kin", "dash"),
    "plus": Look("SVRG-LD+", "SVRG-LD+", "kin", "dash"),
    "half": Look("SVRG-LD+, B = n/2", "B = n/2", "kin", "dashdot"),
    "saga_fixed": Look("SAGA-LD, fixed data", "SAGA, fixed", "kin", "dots"),
    "cv_uld": Look("CV-ULD", "CV-ULD", "bound", "dashdot"),
    "nuts_warm": Look("NUTS, warm-started", "NUTS, warm", "hot", "dashdot"),
    "nuts_scratch": Look("NUTS from scratch", "NUTS, scratch", "hot", "dots"),
    "uld": Look("CV-ULD", "CV-ULD", "bound", "dashdot"),
}
"""Key of a contestant or of an offline sampler -> how it looks."""


def look_of(key: str, names: dict[str, str | tuple[str, str]] | None = None) -> Look:
    """Return how a sampler looks, by its key or by a name such as ``svrg_family`` gives; unknown ones are grey.

    Parameters
    ----------
    key : str
    names : dict of key to name, or to (name, short name), optional
        Names that differ from the usual ones.
    """
    found = LOOKS.get(key)
    if found is None:
        family = max((look for look in LOOKS.values() if key.startswith(look.short)), key=lambda look: len(look.short),
                     default=LOOKS["sgld"] if key.startswith("SGLD") else None)
        found = Look(key, key, "reference", "line") if family is None else family._replace(name=key, short=key, width=1.8)
    if not names or key not in names:
        return found
    name, brief = (names[key], names[key]) if isinstance(names[key], str) else names[key]
    return found._replace(name=name, short=brief)
