"""A sweep's trials in an Optuna study: in memory, in SQLite, or in any database Optuna knows."""

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
from sampler.tuning.best_cell import CLOSE
from sampler.tuning.settings_grid import KNOBS, Grid, optuna_name
from sampler.tuning.sweep_cell import CellResult

PRUNE_FACTOR = 2
"""Of the cells that reached a rung, one in so many goes on whatever it scored."""


class Study:
    """Trials asked for, reported and told, each with its cell's results; goes on from what a database holds.

    Parameters
    ----------
    storage : str or None
        A path (SQLite), an Optuna storage URL, or None for memory only.
    name : str
        Of the study.
    identity : dict
        Plain values that define the sweep: a study of another sweep is refused.
    grids : sequence of Grid
        One for each algorithm.
    settings : Settings
        Gives every other knob.
    sampler : {"grid", "tpe"}
    prune : bool
        Successive halving; a cell as good as the best of its rung to within noise is never given up.
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
        self.in_file = url is not None and url.startswith("sqlite")  #: a SQLite file takes long values
        engine = {"connect_args": {"timeout": 30}} if self.in_file else {}
        try:
            database = optuna.storages.RDBStorage(url, engine_kwargs=engine) if url else None
            self.study = optuna.create_study(storage=database, study_name=name, direction="maximize", pruner=pruner,
                                             load_if_exists=True)
        except Exception as error:
            raise ValueError(f"storage: {storage!r} cannot be opened ({type(error).__name__}: "
                             f"{str(error).splitlines()[0]}); give a path for SQLite or an Optuna URL") from None
        if database is not None:
            weakref.finalize(self, database.engine.dispose)  # Optuna leaves its connections open
        self._refuse_another(name, identity)
        if sampler == "tpe":
            with warnings.catch_warnings():  # before Optuna 5 the last option is called experimental
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
                # Another seed after a crash, or the same points would be asked for again.
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
                raise ValueError(f"storage: study {name!r} holds a sweep with {key} = {stored.get(key)!r}, this one has "
                                 f"{value!r}; give another storage or study name")

    def _fail_lost(self) -> None:
        """Trials that were at work when a process was killed: failed, so that they are run again."""
        state = self._optuna.trial.TrialState
        for trial in self.study.get_trials(deepcopy=False, states=(state.RUNNING,)):
            self.study.tell(trial.number, state=state.FAIL)
        while self.study.get_trials(deepcopy=False, states=(state.WAITING,)):
            self.study.tell(self.study.ask(), state=state.FAIL)

    def finished(self) -> dict[int, CellResult]:
        """Result of every finished trial of the grids' algorithms by its number; the storage may hold another's too."""
        return {number: cell for number, cell in finished_of(self.study).items() if cell.algorithm in self._grids}

    def ask(self, cell: Settings | str) -> tuple[Any, Settings]:
        """Return a new trial of these settings, or of an algorithm where the sampler wants it; and its settings."""
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
        """Take in a rung's result; should the cell be given up?"""
        trial.set_user_attr("cell", result.to_json())
        trial.report(result.accuracy, 2**result.rung)
        return trial.should_prune() and not self._near_the_best(result)

    def _near_the_best(self, result: CellResult) -> bool:
        at = 2**result.rung
        reached = [trial.intermediate_values[at] for trial in self.study.get_trials(deepcopy=False)
                   if at in trial.intermediate_values]
        top = min(max(reached, default=0.0), result.ceiling)  # more than the ceiling is luck
        return result.accuracy >= top - max(CLOSE, 2.0 * result.ceiling_sd)

    def tell(self, trial: Any, result: CellResult | None = None, pruned: bool = False) -> None:
        """The trial is finished; without a result it could not be run, or was cancelled."""
        state = self._optuna.trial.TrialState
        if result is None or pruned:
            self.study.tell(trial, state=state.FAIL if result is None else state.PRUNED)
        else:
            self.study.tell(trial, result.accuracy)


def finished_of(study: Any) -> dict[int, CellResult]:
    """Result of every finished trial of an Optuna study by its number."""
    from optuna.trial import TrialState

    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
    return {trial.number: CellResult.from_json(trial.user_attrs["cell"]) for trial in trials if trial.user_attrs.get("cell")}


def import_optuna() -> Any:
    """The package, late: it takes a second. In a notebook its progress bars would warn that widgets are missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import optuna
    return optuna


def read_finished(path: str | os.PathLike[str], name: str,
                  identity: dict[str, Any]) -> tuple[list[CellResult], dict[str, Any] | None]:
    """Finished cells of a study in a SQLite file, and the reference they were judged by.

    The file is left untouched: another process may be at work on it. No cells where there is no such file, or it holds
    another sweep.
    """
    if not os.path.exists(path):
        return [], None
    optuna = import_optuna()
    try:
        study = optuna.load_study(study_name=name, storage=storage_url(str(path)))
    except Exception:  # not there yet, or being made at this moment
        return [], None
    kept = study.user_attrs
    if kept.get("sweep") != json.loads(json.dumps(identity)):
        return [], None
    return list(finished_of(study).values()), kept.get("reference")


@contextmanager
def storage_errors(storage: str | None) -> Iterator[None]:
    """A database that cannot take what was found is a ValueError that says so; what it has taken stays."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, sqlite3.OperationalError):
            cause = cause.__cause__ or cause.__context__
        if cause is None or isinstance(error, ValueError):
            raise
        full = getattr(cause, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
        why = "the disk is full: make room" if full else f"{cause}: choose another place"
        raise ValueError(f"storage: {storage!r} cannot be written ({why}); the settings that were tried before are kept "
                         "there: then start the same sweep again") from error


def storage_url(storage: str | None) -> str | None:
    """An Optuna URL from a URL or a path."""
    if storage is None or "://" in str(storage):
        return storage
    return f"sqlite:///{os.path.abspath(storage)}"
