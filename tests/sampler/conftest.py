"""A cluster of real processes on this machine."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def processes(tmp_path):
    """``(client, scheduler, {address: worker})``: real processes on this machine."""
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
            of = {client.submit(os.getpid, workers=[worker], pure=False).result(): worker for worker in client.nthreads()}
            yield client, started[0], {of[process.pid]: process for process in started[1:]}
    finally:
        for process in started:
            process.kill()
            process.wait()
