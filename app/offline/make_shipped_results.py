"""Make `shipped_results.json` by running the page's defaults.

Run ``python -m app.offline.make_shipped_results``; it takes about a minute of one core. All numbers follow from the seeds.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from app.background_job import BackgroundJob, JobHandle, wait
from app.offline.ladder_run import run_ladder
from app.offline.likelihood_race_job import run_likelihood
from app.offline.shipped_results import FILE, to_json
from app.offline.wasserstein_race_job import run_gaussian, run_table
from app.state.offline_ladder import LadderConfig
from app.state.offline_races import GaussianConfig, LikelihoodConfig


def _run(job: Callable[[JobHandle], Any]) -> Any:
    worker = BackgroundJob()
    worker.start(job)
    update = wait(worker, 3_600)
    worker.close()
    if update.error:
        raise SystemExit(update.error)
    return update.value


def main() -> None:
    """Run everything with the page's defaults and write the file."""
    FILE.write_text(to_json(
        _run(lambda handle: run_ladder(LadderConfig(), handle)), _run(lambda handle: run_gaussian(GaussianConfig(), handle)),
        _run(lambda handle: run_likelihood(LikelihoodConfig(), None, handle)), _run(run_table),
        f"with version {version('exit-time-lab')} on a {platform.machine()} machine by {__spec__.name}"), encoding="utf-8")
    print(f"{FILE} {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
