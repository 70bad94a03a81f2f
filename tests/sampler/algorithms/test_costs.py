"""What an epoch costs as the stream grows: the full-data samplers pay t, the others the same for ever."""


import numpy as np
import pytest

from sampler import ULA, OnlineSagaLD, Settings
from sampler.algorithms.laplace import Laplace
from sampler.algorithms.mala import MALA
from sampler.algorithms.online_laplace import OnlineLaplace
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.random_walk import RandomWalkMetropolis
from sampler.algorithms.sgld import SGLD
from tests.sampler.algorithms.streams import stream

SETTINGS = Settings(eta0=0.1, batch_size=2, i_max=2)
HORIZON = {OnlineSagaLD: 2**15, SGLD: 2**15, PreconditionedSagaLD: 2**15, OnlineLaplace: 2**14, ULA: 2**12, MALA: 2**12,
           RandomWalkMetropolis: 2**12, PolyaGamma: 2**9, Laplace: 2**9}


@pytest.mark.parametrize(("sampler", "slope", "within"), [
    *((s, 0.0, 0.05) for s in (OnlineSagaLD, SGLD, PreconditionedSagaLD, OnlineLaplace)),
    *((s, 1.0, 0.1) for s in (ULA, MALA, RandomWalkMetropolis, PolyaGamma, Laplace))])
def test_slope_of_evaluations_an_epoch(sampler, slope, within):
    problem, data = stream("logistic", HORIZON[sampler])
    s = sampler(problem, SETTINGS, chains=2)
    last = int(np.log2(HORIZON[sampler]))
    ends, costs = 2 ** np.arange(last - 5, last + 1), []
    for end in ends:  # mean over the epochs of a doubling, so that refreshes are spread evenly
        first = s.t
        costs.append(s.observe(*(part[first:end] for part in data)).gradient_evaluations / (end - first))
    fitted = np.polyfit(np.log(ends[1:]), np.log(costs[1:]), 1)[0]
    assert fitted == pytest.approx(slope, abs=within)
