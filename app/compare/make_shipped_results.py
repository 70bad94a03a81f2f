"""Make `shipped_results.json` from the library's own race, Figure 1 and tables.

Run ``python -m app.compare.make_shipped_results``; it takes some two minutes of one core. Accuracies and
evaluations follow from the seed; seconds are those of this machine.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from app.background_job import BackgroundJob, wait
from app.compare.paper_jobs import figure_one_job, tables_job
from app.compare.race_job import race_job
from app.compare.shipped_results import FILE, ShippedResults, to_json
from app.state.compare import CompareConfig


def _run(job: Callable[[Any], Any]) -> Any:
    background = BackgroundJob()
    background.start(job)
    update = wait(background, 3_600)
    background.close()
    if update.error:
        raise SystemExit(update.error)
    return update.value


def main() -> None:
    """Run everything with the page's defaults and write the file."""
    config = CompareConfig()
    _run(race_job(config.replace(t=50, evaluations=1_000, chains=50)))  # compile, so that seconds are those of the work
    results = ShippedResults(_run(race_job(config)), _run(figure_one_job(config.steps)), tuple(
        _run(tables_job(config.replace(table=table))) for table in ("online", "fixed")))
    FILE.write_text(to_json(results, f"with version {version('exit-time-lab')} on one core of a {platform.machine()}"
                                     f" machine by {__spec__.name}"), encoding="utf-8")
    print(f"{FILE} {FILE.stat().st_size:,} bytes, race {results.race.seconds:.1f} s")


if __name__ == "__main__":
    main()
