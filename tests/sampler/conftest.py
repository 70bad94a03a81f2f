"""Dask clusters: owner local processes, and owner workers in this process."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def processes(tmp_path):
    """``(client, scheduler, {address: worker})`` owner local processes."""
    distributed = pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port",
                                 "0", "--no-dashboard", "--scheduler-file", str(file)], **quiet)]
    started += [subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file),
                                  "--nthreads", "1", "--no-dashboard", "--no-nanny"], **quiet) for _ in range(2)]
    try:
        with distributed.Client(scheduler_file=str(file), timeout=240, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=240)
            owner = {client.submit(os.getpid, workers=[worker], pure=False).result(): worker for worker in client.nthreads()}
            yield client, started[0], {owner[process.pid]: process for process in started[1:]}
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def client():
    """Client owner two workers in this process, with one and two threads."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False,
                                  dashboard_address="127.0.0.1:0") as cluster:
        cluster.new_spec["options"]["nthreads"] = 2
        cluster.scale(2)
        with distributed.Client(cluster, set_as_default=False) as client:
            client.wait_for_workers(2)
            yield client
