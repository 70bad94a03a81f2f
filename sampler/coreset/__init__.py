"""Bayesian coresets: weighted subsets of the data with a posterior close to that of all data.

::

    model = GaussianLocation.synthetic(n=10_000, dim=20, seed=0)
    run = CoresetMCMC(model, size=500, optimizer=HotDoG(r=1e-3), chains=2, hot_start=True, seed=0).run(50_000)
    run.z_score[-1], run.variance_ratio, run.hot_start_iteration

Chen and Campbell, *Coreset Markov chain Monte Carlo*, AISTATS 2024; Chen, Huggins and Campbell, *Tuning-free coreset
Markov chain Monte Carlo via Hot DoG*, UAI 2025.
"""

from sampler.coreset.coreset_mcmc import CoresetMCMC, run_side_by_side
from sampler.coreset.coreset_run import Coreset, CoresetRun
from sampler.coreset.full_data_posterior import Truth
from sampler.coreset.hot_start import HotStart, hot_start_statistic, hot_start_test
from sampler.coreset.loops import NotFiniteError
from sampler.coreset.models.base import CustomModel
from sampler.coreset.models.gaussian import GaussianLocation
from sampler.coreset.models.regressions import BradleyTerry, CauchyLogistic, LinearLogVariance, SoftplusPoisson
from sampler.coreset.models.sparse import SparseRegression
from sampler.coreset.optimizers import Adam, DAdaptation, DoG, DoWG, HotDoG, Prodigy, Untrained
from sampler.coreset.run_record import gaussian_floor
from sampler.coreset.transitions import PAPER_MEMORY, GaussianKernel, GibbsSampler, SliceSampler
from sampler.coreset.weight_convergence import RepeatedPoints, WeightConvergence, weight_convergence

__all__ = [
    "Adam", "BradleyTerry", "CauchyLogistic", "Coreset", "CoresetMCMC", "CoresetRun", "CustomModel", "DAdaptation",
    "DoG", "DoWG", "GaussianKernel", "GaussianLocation", "GibbsSampler", "HotDoG", "HotStart", "LinearLogVariance",
    "NotFiniteError", "PAPER_MEMORY", "Prodigy", "RepeatedPoints", "SliceSampler", "SoftplusPoisson",
    "SparseRegression", "Truth", "Untrained", "WeightConvergence", "gaussian_floor", "hot_start_statistic",
    "hot_start_test", "run_side_by_side", "weight_convergence",
]
