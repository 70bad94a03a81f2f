"""The choice of an online algorithm by name."""

import pytest

from sampler import LogisticRegression
from sampler.algorithms import ONLINE_ALGORITHMS, OnlineSagaLD, PreconditionedSagaLD, online_algorithm


def test_each_name_gives_its_sampler():
    assert list(ONLINE_ALGORITHMS) == ["saga-ld", "preconditioned"]
    assert online_algorithm("saga-ld") is OnlineSagaLD
    assert online_algorithm("preconditioned") is PreconditionedSagaLD
    assert type(online_algorithm("preconditioned")(LogisticRegression(3), chains=2)) is PreconditionedSagaLD


@pytest.mark.parametrize("name", ["", "SAGA-LD", "preconditoned", None, ["saga-ld"]])
def test_an_unknown_name_is_refused_with_the_allowed_ones(name):
    with pytest.raises(ValueError, match=r"algorithm must be one of saga-ld, preconditioned; got ") as refused:
        online_algorithm(name)
    assert repr(name) in str(refused.value)
