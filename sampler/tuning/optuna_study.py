"""A sweep's trials in an Optuna study: in memory, in SQLite, or in any database Optuna knows."""

import json
import os
import sqlite3
import warnings
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sampler.algorithms.online_algorithms import PLAIN
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
    grid : Grid or sequence of Grid
        One for each algorithm.
    sampler : {"grid", "tpe"}
    prune : bool
        Successive halving; a cell as good as the best of its rung to within noise is never given up.
    """

    def __init__(self, storage: str | None, name: str, identity: dict[str, Any], grid: Grid | Sequence[Grid], base: Settings,
                 sampler: str = "grid", prune: bool = True, seed: int = 0) -> None:
        optuna = import_optuna()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._optuna, self.base = optuna, base
        self.grids = {one.algorithm: one for one in ([grid] if isinstance(grid, Grid) else grid)}
        pruner = (optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=PRUNE_FACTOR)
                  if prune else optuna.pruners.NopPruner())
        url = storage_url(storage)
        try:
            kept = optuna.storages.RDBStorage(url, engine_kwargs=_engine(url)) if url else None
            self.study = optuna.create_study(storage=kept, study_name=name, direction="maximize", pruner=pruner,
                                             load_if_exists=True)
        except Exception as error:
            raise ValueError(f"storage: {storage!r} cannot be opened ({type(error).__name__}: "
                             f"{str(error).splitlines()[0]}); give a path for SQLite or an Optuna URL") from None
        if kept is not None:
            weakref.finalize(self, kept.engine.dispose)  # Optuna leaves its connections open
        self._refuse_another(name, identity)
        if sampler == "tpe":
            with warnings.catch_warnings():  # before Optuna 5 the last option is called experimental
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
                # Another seed after a crash, or the same points would be asked for again.
                self.study.sampler = optuna.samplers.TPESampler(seed=seed + len(self.study.trials), multivariate=False,
                                                                constant_liar=True)
        self._sampler = sampler
        self._fail_lost()

    def _refuse_another(self, name: str, identity: dict[str, Any]) -> None:
        kept = self.study.user_attrs.get("sweep")
        if kept is None:
            self.study.set_user_attr("sweep", identity)
            return
        for key, value in json.loads(json.dumps(identity)).items():
            if kept.get(key) != value:
                raise ValueError(f"storage: study {name!r} holds a sweep with {key} = {kept.get(key)!r}, this one has "
                                 f"{value!r}; give another storage or study name")

    def _fail_lost(self) -> None:
        """Trials that were at work when a process was killed: failed, so that they are run again."""
        state = self._optuna.trial.TrialState
        for trial in self.study.get_trials(deepcopy=False, states=(state.RUNNING,)):
            self.study.tell(trial.number, state=state.FAIL)
        while self.study.get_trials(deepcopy=False, states=(state.WAITING,)):
            self.study.tell(self.study.ask(), state=state.FAIL)

    def finished(self) -> list[tuple[int, CellResult, bool]]:
        """``(trial number, result, was it given up early)`` of every finished trial, with a result."""
        return finished_of(self.study)

    def ask(self, cell: dict[str, Any] | None = None) -> Any:
        """A new trial: of the given cell, or where the sampler wants one; with its settings.

        A cell that names an algorithm alone is one where the sampler wants it, of that algorithm.
        """
        algorithm = next(iter(self.grids)) if cell is None else cell.get("algorithm", PLAIN)
        knobs = {name: value for name, value in (cell or {}).items() if name in KNOBS}
        if knobs:
            self.study.enqueue_trial({optuna_name(name, algorithm): value for name, value in knobs.items()})
        grid = self.grids[algorithm]
        trial = self.study.ask(grid.distributions(self._optuna.distributions))
        found = {name: trial.params.get(optuna_name(name, algorithm), getattr(grid, name)[0]) for name in KNOBS}
        return trial, with_algorithm(self.base.replace(**found), algorithm)

    def report(self, trial: Any, result: CellResult) -> bool:
        """Take in a rung's result; should the cell be given up?"""
        trial.set_user_attr("cell", result.to_json())
        trial.report(result.accuracy, 2**result.rung)
        return trial.should_prune() and not self._near_the_best(result)

    def _near_the_best(self, result: CellResult) -> bool:
        at = 2**result.rung
        known = [trial.intermediate_values[at] for trial in self.study.get_trials(deepcopy=False)
                 if at in trial.intermediate_values]
        top = min(max(known, default=0.0), result.ceiling)  # more than the ceiling is luck
        return result.accuracy >= top - max(CLOSE, 2.0 * result.ceiling_sd)

    def keep(self, name: str, values: dict[str, Any]) -> None:
        """Keep plain values beside the trials."""
        self.study.set_user_attr(name, values)

    def kept(self, name: str) -> dict[str, Any] | None:
        """Return the plain value that ``keep`` stored under this name, or None."""
        return self.study.user_attrs.get(name)

    def tell(self, trial: Any, result: CellResult, pruned: bool) -> None:
        """The trial is finished."""
        state = self._optuna.trial.TrialState
        if pruned:
            self.study.tell(trial, state=state.PRUNED)
        else:
            self.study.tell(trial, result.accuracy)

    def fail(self, trial: Any) -> None:
        """The trial could not be run, or was cancelled."""
        self.study.tell(trial, state=self._optuna.trial.TrialState.FAIL)


def finished_of(study: Any) -> list[tuple[int, CellResult, bool]]:
    """``(trial number, result, was it given up early)`` of an Optuna study's finished trials."""
    from optuna.trial import TrialState

    found = []
    for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED)):
        cells = trial.user_attrs.get("cell")
        if cells:
            found.append((trial.number, CellResult.from_json(cells), trial.state == TrialState.PRUNED))
    return found


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
    if study.user_attrs.get("sweep") != json.loads(json.dumps(identity)):
        return [], None
    return [result for _, result, _ in finished_of(study)], study.user_attrs.get("reference")


@contextmanager
def storage_told(storage: str | None) -> Iterator[None]:
    """A database that cannot take what was found is a ValueError that says so; what it has taken stays."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, sqlite3.OperationalError):
            cause = cause.__cause__ or cause.__context__
        if cause is None or isinstance(error, ValueError):
            raise
        full = "full" in str(cause) or "disk I/O" in str(cause)
        why = "the disk is full: make room" if full else f"{cause}: choose another place"
        raise ValueError(f"storage: {storage!r} cannot be written ({why}); the settings that were tried before are kept "
                         "there: then start the same sweep again") from error


def storage_url(storage: str | None) -> str | None:
    """An Optuna URL from a URL or a path."""
    if storage is None or "://" in str(storage):
        return storage
    return f"sqlite:///{os.path.abspath(storage)}"


def _engine(url: str) -> dict[str, Any]:
    return {"connect_args": {"timeout": 30}} if url.startswith("sqlite") else {}
