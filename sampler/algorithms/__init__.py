"""Algorithms, HOW it is sampled: one file an algorithm, one contract (stream_sampler.py) for all that read a stream."""

from sampler.algorithms.cv_uld import CvULD
from sampler.algorithms.epoch_records import Divergence, DivergenceError, Epoch, StepTrace
from sampler.algorithms.laplace import Laplace
from sampler.algorithms.mala import MALA
from sampler.algorithms.offline_records import OfflineDivergenceError, OfflineResult
from sampler.algorithms.offline_saga_ld import OfflineSagaLD
from sampler.algorithms.offline_sgld import OfflineSGLD
from sampler.algorithms.online_algorithms import ONLINE_ALGORITHMS, PLAIN, online_algorithm
from sampler.algorithms.online_laplace import OnlineLaplace
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.random_walk import RandomWalkMetropolis
from sampler.algorithms.saga_ld import SagaLD
from sampler.algorithms.sgld import SGLD
from sampler.algorithms.svrg_ld import SvrgLD
from sampler.algorithms.temperature_ladder import temperature_ladder
from sampler.algorithms.ula import ULA
from sampler.chain_blocks import use_threads

__all__ = [
    "CvULD", "Divergence", "DivergenceError", "Epoch", "Laplace", "MALA", "ONLINE_ALGORITHMS",
    "OfflineDivergenceError", "OfflineResult", "OfflineSGLD", "OfflineSagaLD", "OnlineLaplace", "OnlineSagaLD",
    "PLAIN", "PolyaGamma", "PreconditionedSagaLD", "RandomWalkMetropolis", "SGLD", "SagaLD", "StepTrace", "SvrgLD",
    "ULA", "online_algorithm", "temperature_ladder", "use_threads",
]
