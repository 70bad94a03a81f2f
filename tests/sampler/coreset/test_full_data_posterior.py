"""The long chains that are the truth of a coreset: proposals' densities are those of what is drawn."""

import numpy as np
import pytest
from scipy import stats

from sampler.coreset.full_data_posterior import HEAVY_DF, student_log_density


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_students_density_is_scipys(dim):
    points = np.random.default_rng(0).normal(size=(20, dim)) * np.geomspace(0.1, 30, 20)[:, None]
    known = stats.multivariate_t(shape=np.eye(dim), df=HEAVY_DF).logpdf(points)
    ours = student_log_density(points)
    np.testing.assert_allclose(ours - ours[0], known - known[0], rtol=1e-12, atol=1e-12)
