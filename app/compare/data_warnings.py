"""What the data imply before any chain runs, in words."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from sampler.racing import RaceSetup


def parted(features: np.ndarray, labels: np.ndarray) -> bool:
    """Whether some plane through the origin has all rows of one label on one side: (t, d), (t,)."""
    signed = features * np.where(labels > 0.5, 1.0, -1.0)[:, None]
    # maximise the least margin over a box: above 0 exactly when such a plane exists
    d = features.shape[1]
    cost = np.zeros(d + 1)
    cost[-1] = -1.0
    found = linprog(cost, A_ub=np.column_stack([-signed, np.ones(len(signed))]), b_ub=np.zeros(len(signed)),
                    bounds=[(-1.0, 1.0)] * d + [(None, 1.0)], method="highs")
    return bool(found.status == 0 and -found.fun > 1e-9)


def data_warnings(setup: RaceSetup) -> tuple[str, ...]:
    """Return what a reader must know about the data of a race."""
    said = []
    if setup.problem.kind == "logistic" and parted(*setup.data):
        far = float(np.linalg.norm(setup.reference.mean))
        said.append("A plane parts the labels. The likelihood alone has no mode: it runs to infinity. The prior holds it,"
                    f" at |θ| = {far:.3g}, and the posterior there is wide and lopsided: a Gaussian fit suffers most.")
    if setup.trouble:
        kind = setup.trouble.partition(":")[0]
        name = "SAGA-LD" if kind == "OnlineSagaLD" else "Preconditioned SAGA-LD"
        said.append(f"{name} left every posterior on its way through the stream: its step is too long. Lower η₀."
                    + (" The others start from a draw of the truth." if kind == "OnlineSagaLD" else ""))
    reference = setup.reference
    if reference.draws is not None and float(np.max(reference.rhat)) > 1.02:
        said.append(f"The truth is drawn by long chains whose R-hat is {np.max(reference.rhat):.3f}: take small"
                    " differences with care.")
    if setup.problem.kind == "oracle":
        said.append("Scored against the full-data posterior’s means and standard deviations, as normal marginals: what"
                    " the coreset itself is off by stays, however well a sampler runs.")
        said.append("An oracle has no Hessian: full Laplace makes one of differences of gradients, and they are counted.")
    elif not reference.exact and reference.draws is None:
        said.append("The posterior is a ridge too thin for the grid that stands for the truth: take small differences"
                    " with care.")
    return tuple(said)
