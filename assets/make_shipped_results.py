"""The results that pages show before anybody has run them: ``python assets/make_shipped_results.py [tune compare offline]``.

Each page's defaults are run and written beside it: Tune takes some 20 s, Compare two minutes, Offline one, of one core.
All numbers follow from the seeds, but for seconds, which are those of this machine.
"""

import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from app.jobs.background_job import BackgroundJob, JobHandle, JobUpdate
from sampler.version import VERSION

MADE = (f"with version {VERSION} on one core of a {platform.machine()} machine"
        " by assets/make_shipped_results.py")


def run(job: Callable[[JobHandle], Any]) -> JobUpdate:
    """Run a page's job to its end."""
    background = BackgroundJob()
    background.start(job)
    while not ((update := background.take()) and update.done):
        time.sleep(0.1)
    background.close()
    if update.error:
        raise SystemExit(update.error)
    return update


def tune() -> None:
    """Sweep the page's first example in an empty folder."""
    from app.state.tune import TuneConfig
    from app.tune import kept_files
    from app.tune.sweep_defaults import write_shipped
    from app.tune.sweep_job import SweepJobs
    from app.visit import Visit
    from sampler.tuning import SweepOutcome

    with tempfile.TemporaryDirectory() as folder:
        os.environ[kept_files.FOLDER] = folder
        jobs = SweepJobs(Visit())
        update = run(jobs.job(TuneConfig(going=True)))
        result = update.value
        if not result.whole:
            raise SystemExit(f"the sweep ended early: {result.ended}")
        outcome = SweepOutcome(list(result.cells.values()), result.best, result.ended, update.seconds, result.reference)
        print(write_shipped(result.config.data, jobs.sweep(result).identity(), outcome))


def compare() -> None:
    """Run the race, Figure 1 and both tables."""
    from app.compare.race_job import FILE, run_figure_one, run_race, run_tables, to_json
    from app.state.compare import CompareConfig

    config = CompareConfig()
    short = config.replace(t=50, evaluations=1_000, chains=50)
    run(partial(run_race, short, None))  # compile, so that seconds are those of the work
    tables = [run(partial(run_tables, config.replace(table=table))).value for table in ("online", "fixed")]
    FILE.write_text(to_json(run(partial(run_race, config, None)).value, run(partial(run_figure_one, config.steps)).value,
                            tables, MADE), encoding="utf-8")
    print(FILE)


def offline() -> None:
    """Run the ladder, both races and the table of best steps."""
    from app.offline.ladder_run import run_ladder
    from app.offline.likelihood_race_job import run_likelihood
    from app.offline.shipped_results import FILE, to_json
    from app.offline.wasserstein_race_job import best_steps, run_gaussian
    from app.state.offline import LadderConfig
    from app.state.offline_races import GaussianConfig, LikelihoodConfig

    jobs = (lambda handle: run_ladder(LadderConfig(), handle), lambda handle: run_gaussian(GaussianConfig(), handle),
            lambda handle: run_likelihood(LikelihoodConfig(), None, handle))
    FILE.write_text(to_json(*(run(job).value for job in jobs), best_steps(), MADE), encoding="utf-8")
    print(FILE)


if __name__ == "__main__":
    pages = {"tune": tune, "compare": compare, "offline": offline}
    for name in sys.argv[1:] or pages:
        pages[name]()
