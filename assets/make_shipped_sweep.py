"""The sweep that the Tune page shows before anybody has swept: ``python assets/make_shipped_sweep.py`` (some 20 s)."""

import os
import tempfile

from app.background_job import BackgroundJob, wait
from app.state.tune import TuneConfig
from app.tune import kept_files
from app.tune.shipped_sweeps import write_shipped
from app.tune.sweep_job import SweepJobs
from sampler.tuning import SweepOutcome


def main() -> None:
    """Sweep the page's first example in an empty cache and write its cells beside the app."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[kept_files.FOLDER] = folder
        jobs, background = SweepJobs(lambda: None), BackgroundJob("shipped")
        background.start(jobs.job(TuneConfig(going=True)))
        update = wait(background, 1200)
        result = update.value
        if update.error or not result.whole:
            raise SystemExit(f"the sweep ended early: {update.error or result.ended}")
        outcome = SweepOutcome(list(result.cells.values()), result.best, result.ended, update.seconds, result.reference)
        path = write_shipped(result.config.data, jobs.sweep(result).identity(), outcome)
        background.close()
    print(f"{path}: {len(outcome.cells)} cells, {path.stat().st_size / 1000:.0f} kB, {update.seconds:.0f} s")


if __name__ == "__main__":
    main()
