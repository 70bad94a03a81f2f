"""`Study`: a sweep's trials in an Optuna study, stored in memory, SQLite or another database that Optuna supports."""

import json
import os
import sqlite3
import warnings
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sampler.settings import Settings
from sampler.tuning.algorithm_settings import with_algorithm
from sampler.tuning.best_cell import ACCURACY_TOLERANCE
from sampler.tuning.settings_grid import KNOBS, Grid, optuna_name
from sampler.tuning.sweep_cell import CellResult

PRUNE_FACTOR = 2
"""Reduction factor of successive halving: of the cells that reached a rung, one in this many is promoted."""


class Study:
    """Optuna study of a sweep: trials with the results of their cells; resumes from stored trials.

    Parameters
    ----------
    storage : str or None
        Path of a SQLite file, Optuna storage URL, or None for memory only.
    name : str
        Name of the study.
    identity : dict
        Plain values that define the sweep; a stored study with other values is refused.
    grids : sequence of Grid
        One per algorithm.
    settings : Settings
        Source of all knobs that are not swept.
    sampler : {"grid", "tpe"}
    prune : bool
        Whether to prune by successive halving; a cell within noise of the best of its rung is never pruned.
    """

    def __init__(self, storage: str | None, name: str, identity: dict[str, Any], grids: Sequence[Grid], settings: Settings,
                 sampler: str = "grid", prune: bool = True, seed: int = 0) -> None:
        optuna = import_optuna()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._optuna, self._settings = optuna, settings
        self._grids = {grid.algorithm: grid for grid in grids}
        pruner = (optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=PRUNE_FACTOR)
                  if prune else optuna.pruners.NopPruner())
        url = storage_url(storage)
        self.in_file = url is not None and url.startswith("sqlite")  #: whether in a SQLite file, which allows long values
        engine = {"connect_args": {"timeout": 30}} if self.in_file else {}
        try:
            database = optuna.storages.RDBStorage(url, engine_kwargs=engine) if url else None
            self.study = optuna.create_study(storage=database, study_name=name, direction="maximize", pruner=pruner,
                                             load_if_exists=True)
        except Exception as error:
            raise ValueError(f"storage: {storage!r} cannot be opened ({type(error).__name__}: "
                             f"{str(error).splitlines()[0]}); give a path for SQLite or an Optuna URL") from None
        if database is not None:
            weakref.finalize(self, database.engine.dispose)  # Optuna does not close its connections
        self._refuse_another(name, identity)
        if sampler == "tpe":
            with warnings.catch_warnings():  # constant_liar is experimental before Optuna 5
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
                # A new seed after a crash: the same seed would suggest the same points again.
                self.study.sampler = optuna.samplers.TPESampler(seed=seed + len(self.study.trials), multivariate=False,
                                                                constant_liar=True)
        self._fail_lost()

    def _refuse_another(self, name: str, identity: dict[str, Any]) -> None:
        stored = self.study.user_attrs.get("sweep")
        if stored is None:
            self.study.set_user_attr("sweep", identity)
            return
        for key, value in json.loads(json.dumps(identity)).items():
            if stored.get(key) != value:
                raise ValueError(f"storage: study {name!r} stores a sweep with {key} = {stored.get(key)!r}, this one has "
                                 f"{value!r}; pass another storage or study name")

    def _fail_lost(self) -> None:
        """Mark trials left running or waiting by a killed process as failed, so that they are run again."""
        state = self._optuna.trial.TrialState
        for trial in self.study.get_trials(deepcopy=False, states=(state.RUNNING,)):
            self.study.tell(trial.number, state=state.FAIL)
        while self.study.get_trials(deepcopy=False, states=(state.WAITING,)):
            self.study.tell(self.study.ask(), state=state.FAIL)

    def finished(self) -> dict[int, CellResult]:
        """Return trial number -> result of the finished trials of the grids' algorithms; others may be stored too."""
        return {number: cell for number, cell in finished_of(self.study).items() if cell.algorithm in self._grids}

    def ask(self, cell: Settings | str) -> tuple[Any, Settings]:
        """Return a new trial and its settings: ``cell`` itself, or settings chosen by the sampler for an algorithm."""
        algorithm = cell if isinstance(cell, str) else cell.algorithm
        if isinstance(cell, Settings):
            self.study.enqueue_trial({optuna_name(knob, algorithm): getattr(cell, knob) for knob in KNOBS})
        grid = self._grids[algorithm]
        trial = self.study.ask(grid.distributions(self._optuna.distributions))
        if isinstance(cell, Settings):
            return trial, cell
        knobs = {knob: trial.params.get(optuna_name(knob, algorithm), getattr(grid, knob)[0]) for knob in KNOBS}
        return trial, with_algorithm(self._settings.replace(**knobs), algorithm)

    def report(self, trial: Any, result: CellResult) -> bool:
        """Store the result of a rung and return whether to prune the cell."""
        trial.set_user_attr("cell", result.to_json())
        trial.report(result.accuracy, 2**result.rung)
        return trial.should_prune() and not self._near_the_best(result)

    def _near_the_best(self, result: CellResult) -> bool:
        at = 2**result.rung
        reached = [trial.intermediate_values[at] for trial in self.study.get_trials(deepcopy=False)
                   if at in trial.intermediate_values]
        top = min(max(reached, default=0.0), result.ceiling)  # above the ceiling is noise
        return result.accuracy >= top - max(ACCURACY_TOLERANCE, 2.0 * result.ceiling_sd)

    def tell(self, trial: Any, result: CellResult | None = None, pruned: bool = False) -> None:
        """Finish a trial as complete or pruned; as failed without a result."""
        state = self._optuna.trial.TrialState
        if result is None or pruned:
            self.study.tell(trial, state=state.FAIL if result is None else state.PRUNED)
        else:
            self.study.tell(trial, result.accuracy)


def finished_of(study: Any) -> dict[int, CellResult]:
    """Return trial number -> result of the finished trials of an Optuna study."""
    from optuna.trial import TrialState

    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
    return {trial.number: CellResult.from_json(trial.user_attrs["cell"]) for trial in trials if trial.user_attrs.get("cell")}


def import_optuna() -> Any:
    """Import Optuna lazily (about 1 s), without its warnings about missing notebook widgets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import optuna
    return optuna


def read_finished(path: str | os.PathLike[str], name: str,
                  identity: dict[str, Any]) -> tuple[list[CellResult], dict[str, Any] | None]:
    """Return the finished cells of a study in a SQLite file, and the summary of their reference.

    Read-only: another process may be writing the file. Returns ``([], None)`` if there is no such file or it stores another
    sweep.
    """
    if not os.path.exists(path):
        return [], None
    optuna = import_optuna()
    try:
        study = optuna.load_study(study_name=name, storage=storage_url(str(path)))
    except Exception:  # not created yet, or being created
        return [], None
    stored = study.user_attrs
    if stored.get("sweep") != json.loads(json.dumps(identity)):
        return [], None
    return list(finished_of(study).values()), stored.get("reference")


@contextmanager
def storage_errors(storage: str | None) -> Iterator[None]:
    """Raise a ValueError with the cause if the database cannot be written; stored trials are kept."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, sqlite3.OperationalError):
            cause = cause.__cause__ or cause.__context__
        if cause is None or isinstance(error, ValueError):
            raise
        full = getattr(cause, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
        why = "the disk is full: make room" if full else f"{cause}: choose another path"
        raise ValueError(f"storage: {storage!r} cannot be written ({why}); settings already tried are kept: then start the "
                         "same sweep again") from error


def storage_url(storage: str | None) -> str | None:
    """Return the Optuna URL of a URL or path."""
    if storage is None or "://" in str(storage):
        return storage
    return f"sqlite:///{os.path.abspath(storage)}"
