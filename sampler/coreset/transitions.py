"""Parameters of the Markov kernels that leave a coreset posterior invariant for any weights."""

from dataclasses import dataclass

import numpy as np

from sampler.arguments import real_number, whole_number

PAPER_MEMORY = float(np.sqrt(0.8))
"""Memory of the autoregressive form that the experiments of Hot DoG use."""


@dataclass(frozen=True)
class GaussianKernel:
    """Exact kernel of a Gaussian location coreset posterior N(mu_w, Sigma_w), independent or autoregressive.

    theta' = mu_w + a (theta - mu_w) + sqrt(1 - a^2) N(0, Sigma_w).

    Parameters
    ----------
    memory : float in [0, 1)
        a; 0 for independent draws, sqrt(0.8) (`PAPER_MEMORY`) as in the authors' experiments.
    """

    memory: float = 0.0

    def __post_init__(self) -> None:
        real_number("memory", self.memory, "0 draws independently at every step", least=0.0, below=1.0)


@dataclass(frozen=True)
class SliceSampler:
    """Hit-and-run slice sampling with doubling (Belisle et al., 1993; Neal, 2003, Figures 4 to 6).

    Parameters
    ----------
    width : float > 0
        Initial width of an interval along a direction.
    doublings : int in [0, 50]
        Maximum number of doublings.
    directions : int >= 1
        Updates per step, each along a new random direction.
    """

    width: float = 10.0
    doublings: int = 20
    directions: int = 3

    def __post_init__(self) -> None:
        real_number("width", self.width, "10 is usual", above=0.0)
        whole_number("doublings", self.doublings, 0, 50, "20 is usual")
        whole_number("directions", self.directions, 1, 10_000, "3 is usual")


@dataclass(frozen=True)
class GibbsSampler:
    """Gibbs sampling of the sparse regression (George and McCulloch, 1993) with the sum of the weights as N.

    Differs from the paper: its experiments draw gamma from a density that does not leave the posterior invariant;
    here it is the conditional on beta, from the prior densities of beta.
    """


Kernel = GaussianKernel | SliceSampler | GibbsSampler
