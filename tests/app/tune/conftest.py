import base64

import numpy as np
import pytest

from app.background_job import BackgroundJob, wait
from app.tune import cache
from app.tune.config import TuneConfig
from app.tune.job import Job
from app.tune.upload import Upload


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Nothing of the person's own cache is read or written."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv(cache.FOLDER, str(folder))
    return folder


@pytest.fixture
def small():
    """Nine step sizes by some lengths on 64 rows."""
    return TuneConfig(rows=64, eta0=(0.1, 10.0), i_max=(4, 40), batches=(4,), acceptance_radius=22.0, chains=8,
                      reference="laplace", prune=False)


@pytest.fixture
def run():
    """Run the work of a configuration to its end in this process; the last update."""
    background = BackgroundJob("test")

    def go(config, given=None, job=None):
        background.start((job or Job(lambda: given, workers=0)).work(config))
        return wait(background, 120)

    yield go
    background.close()


@pytest.fixture
def csv_file(tmp_path):
    """Write a logistic stream with one missing cell and a text answer; returns its path."""
    def write(rows=120, seed=0):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(rows, 2)) * [1.0, 50.0]
        y = rng.random(rows) < 1 / (1 + np.exp(-x[:, 0]))
        lines = [f"{a:.6g},{b:.6g},{'yes' if c else 'no'}" for (a, b), c in zip(x, y, strict=True)]
        lines[3] = "1.0,,yes"
        path = tmp_path / "clicks.csv"
        path.write_text("x1,x2,answer\n" + "\n".join(lines) + "\n")
        return path

    return write


@pytest.fixture
def keep():
    """Take a file in as the page does; returns the name it is kept by."""
    def take(path, name=None):
        data = path.read_bytes()
        upload = Upload(name or path.name, len(data))
        for at in range(0, len(data), 300):
            upload.add(base64.b64encode(data[at:at + 300]).decode())
        return upload.finish()

    return take
