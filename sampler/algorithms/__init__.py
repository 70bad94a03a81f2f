"""Sampling algorithms, one per file; all samplers on a stream share the interface of stream_sampler.py."""

from sampler.algorithms.algorithm_names import KNOBLESS, ONLINE_ALGORITHMS, PLAIN, online_algorithm, stream_algorithm
from sampler.algorithms.cv_sgld import CvSGLD
from sampler.algorithms.cv_uld import CvULD
from sampler.algorithms.ibis import IBIS
from sampler.algorithms.langevin import SGLD, ULA
from sampler.algorithms.laplace import Laplace, OnlineLaplace
from sampler.algorithms.metropolis import MALA, RandomWalkMetropolis
from sampler.algorithms.offline_langevin import OfflineSagaLD, OfflineSGLD, SagaLD, SvrgLD, temperature_ladder
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.recursive_vga import RecursiveVGA
from sampler.algorithms.results import Divergence, DivergenceError, Epoch, OfflineDivergenceError, OfflineResult, StepTrace
from sampler.algorithms.subsampled_metropolis import SubsampledMetropolis
from sampler.algorithms.warm_laplace import WarmLaplace
from sampler.algorithms.zigzag import ZigZag
from sampler.threads import use_threads

__all__ = [
    "CvSGLD", "CvULD", "Divergence", "DivergenceError", "Epoch", "IBIS", "KNOBLESS", "Laplace", "MALA", "ONLINE_ALGORITHMS",
    "OfflineDivergenceError", "OfflineResult", "OfflineSGLD", "OfflineSagaLD", "OnlineLaplace", "OnlineSagaLD", "PLAIN",
    "PolyaGamma", "PreconditionedSagaLD", "RandomWalkMetropolis", "RecursiveVGA", "SGLD", "SagaLD", "StepTrace",
    "SubsampledMetropolis", "SvrgLD", "ULA", "WarmLaplace", "ZigZag", "online_algorithm", "stream_algorithm",
    "temperature_ladder", "use_threads",
]
