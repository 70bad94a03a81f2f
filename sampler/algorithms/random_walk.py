"""Random-walk Metropolis: what the online Dikin walk of Narayanan and Rakhlin (2010) becomes on the whole of R^d.

    Y = X + sqrt(2 eta_t) xi,   X <- Y with chance min(1, exp(F_t(X) - F_t(Y))),   eta_t = eta_0/(t+c)

On a convex body their walk draws Y from an ellipsoid given by the body's barrier; R^d has no boundary, so the
ellipsoid is a ball and stays one. i_t steps in epoch t from X^{t-1}; t potential evaluations a step, no gradient.
"""

from sampler.algorithms.metropolis import MetropolisSampler


class RandomWalkMetropolis(MetropolisSampler):
    """Random-walk Metropolis on K independent chains; an ``acceptance_rate`` near 0.234 is best in many dimensions."""

    _langevin = False
