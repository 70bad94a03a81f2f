"""MALA, the Metropolis-adjusted Langevin algorithm (Roberts and Tweedie 1996).

    Y = X - eta_t grad F_t(X) + sqrt(2 eta_t) xi,   eta_t = eta_0/(t+c)
    X <- Y with chance min(1, exp(r)), else X stays,
    r = F_t(X) - F_t(Y) - (||X - Y + eta_t grad F_t(Y)||^2 - ||Y - X + eta_t grad F_t(X)||^2) / (4 eta_t)

i_t steps in epoch t, with the warm starts and run lengths of online SAGA-LD. Exact in the long run for any eta_0;
potential and gradient of one term at one point count as one evaluation: t a step.
"""

from sampler.algorithms.metropolis import MetropolisSampler


class MALA(MetropolisSampler):
    """MALA on K independent chains; look at ``acceptance_rate``: near 0.574 is best, near 0 the chain stands still."""
