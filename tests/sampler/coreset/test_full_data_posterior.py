"""The long chains that are the truth of a coreset: proposals' densities are those of what is drawn."""

import numpy as np
import pytest
from scipy import stats

from sampler import chain_blocks
from sampler.coreset import BradleyTerry
from sampler.coreset.full_data_posterior import HEAVY_DF, long_chains, student_log_density


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_students_density_is_scipys(dim):
    points = np.random.default_rng(0).normal(size=(20, dim)) * np.geomspace(0.1, 30, 20)[:, None]
    known = stats.multivariate_t(shape=np.eye(dim), df=HEAVY_DF).logpdf(points)
    ours = student_log_density(points)
    np.testing.assert_allclose(ours - ours[0], known - known[0], rtol=1e-12, atol=1e-12)


def test_the_draws_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(chain_blocks, "LEAST_WORK", 1e-3)  # any work is enough to share
    model = BradleyTerry.synthetic(500, 6)
    one, *many = (long_chains(model, draws=640, threads=threads) for threads in (1, 2, 5))
    for other in many:
        np.testing.assert_array_equal(one.mean, other.mean)
        np.testing.assert_array_equal(one.std, other.std)
    with pytest.raises(ValueError, match="threads must"):
        long_chains(model, threads=0)
