"""Notes in words on a posterior of fixed data, before any chain runs: labels all of one class."""

from typing import Any

import numpy as np

from sampler.problems.glm import LogisticRegression


def notes_on(terms: Any) -> tuple[str, ...]:
    """Words about the data; ValueError when the posterior has no mode at all.

    All labels equal: along a column of one sign (an intercept) the likelihood grows for ever. A flat prior there
    leaves no mode and no posterior; a proper one holds both, far out and as wide as the prior.
    """
    problem = terms.problem
    if not isinstance(problem, LogisticRegression):
        return ()
    labels, rows = terms.posterior.labels, terms.posterior.rows
    if labels.min() != labels.max():
        return ()
    one_sided = np.flatnonzero((rows > 0).all(axis=0) | (rows < 0).all(axis=0))
    said = f"all {len(labels)} labels are equal ({labels[0]:g})"
    if not one_sided.size:
        return (f"{said}: the data may be separable; if they are, only the prior holds the mode",)
    flat = one_sided[problem.prior_precision[one_sided] == 0]
    if flat.size:
        raise ValueError(f"labels must hold both classes when prior_precision is 0 in column {flat[0]}: {said}, the "
                         f"data are separable along that column, the likelihood grows for ever and the posterior has "
                         "no mode; set prior_precision above 0 there")
    j = one_sided[0]
    return (f"{said}: the data are separable along column {j}, the likelihood alone has no mode (it runs to infinity) "
            f"and the prior of precision {problem.prior_precision[j]:g} holds it at a finite place, far out; the "
            "posterior there is nearly as wide as the prior, whatever the number of data",)
