import shutil

import numpy as np
import pytest

from app.state.tune import TuneConfig
from app.tune import kept_files
from app.tune.sweep_job import SweepJobs
from app.visit import Visit
from tests.app.jobs.waiting import finish


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Redirect the cache to a temporary folder."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv(kept_files.FOLDER, str(folder))
    return folder


@pytest.fixture
def small():
    """Return a configuration of nine step sizes by some lengths on 64 rows."""
    return TuneConfig(rows=64, eta0=(0.1, 10.0), i_max=(4, 40), batches=(4,), acceptance_radius=22.0, chains=8,
                      reference="laplace", prune=False)


@pytest.fixture
def run():
    """Return a function that runs a configuration's job to its end in this process and returns the last update."""
    def run_job(config, user_data=None):
        visit = Visit()
        visit.user_data = user_data
        return finish(SweepJobs(visit, workers=0).job(config))

    return run_job


@pytest.fixture
def csv_file(tmp_path):
    """Return a function that writes a logistic stream with one missing value and a text response, and returns its path."""
    def write(rows=120):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(rows, 2)) * [1.0, 50.0]
        y = rng.random(rows) < 1 / (1 + np.exp(-x[:, 0]))
        lines = [f"{a:.6g},{b:.6g},{'yes' if c else 'no'}" for (a, b), c in zip(x, y, strict=True)]
        lines[3] = "1.0,,yes"
        path = tmp_path / "clicks.csv"
        path.write_text("x1,x2,answer\n" + "\n".join(lines) + "\n")
        return path

    return write


@pytest.fixture
def keep(tmp_path_factory):
    """Return a function that stores a copy of a file as the page does and returns its stored name."""
    def take(path, name=None):
        came = tmp_path_factory.mktemp("upload") / (name or path.name)
        shutil.copyfile(path, came)
        return kept_files.keep_upload(came)

    return take
