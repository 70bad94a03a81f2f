"""Rows that several files replay, and a cluster whose workers are in this process."""


import numpy as np
import pytest


@pytest.fixture(scope="session")
def rows():
    """330 rows of logistic regression, the last feature always 1."""
    rng = np.random.default_rng(0)
    features = np.column_stack([rng.normal(size=(330, 2)), np.ones(330)])
    return features, (rng.random(330) < 1 / (1 + np.exp(-features @ [1.0, -1.0, 0.3]))).astype(float)


@pytest.fixture(scope="module")
def client():
    """Client of two workers, of one and two threads, in this process."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False,
                                  dashboard_address="127.0.0.1:0") as cluster:
        cluster.new_spec["options"]["nthreads"] = 2
        cluster.scale(2)
        with distributed.Client(cluster, set_as_default=False) as client:
            client.wait_for_workers(2)
            yield client
