"""`run_likelihood`: background job of ZXG's Figures 3 and 4 on a stream, the paper's data or the user's `OwnFile`."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from app.jobs.background_job import JobHandle
from app.offline.race_samplers import Trace, check, label, make
from app.own_data.file_columns import FileColumns, page_words
from app.state.offline_races import PAPER_ROWS, LikelihoodConfig
from sampler import LogisticRegression, find_mode
from sampler.algorithms import OfflineDivergenceError
from sampler.metrics import negative_log_likelihood
from sampler.racing import LikelihoodCurve, generated_split, likelihood_race, paper_split
from sampler.streams import LARGEST_UPLOAD, MOST_LEVELS, Split, Table, read_table, split_table

LARGEST = LARGEST_UPLOAD // 2
"""Maximum file size in bytes: the table takes some ten times as much memory."""
BEYOND = ("For larger files use split_table(read_table(path)) and likelihood_race in a notebook, as far as memory allows;"
          " python -m sampler streams files of any size.")


@dataclass(eq=False)
class OwnFile:
    """A file and the choice of its columns; `table` is None until the file has been read."""

    path: Path
    label: str = ""  #: column of the labels; empty: the column called y, label, ..., or the last
    categories: tuple[str, ...] = ()  #: text columns to encode as columns of 0 and 1
    positive: str = ""  #: label encoded as 1, all others as 0; empty: the file's own labels
    table: Table | None = field(default=None, init=False)
    fresh: bool = field(default=True, init=False)  #: whether B has yet to be fitted to the file's size

    def read(self, handle: JobHandle) -> Table:
        """Return the table, reading the file first if necessary; raise ValueError with the row that is invalid."""
        if self.table is None:
            handle.publish(None, None, f"Reading {self.path.name}.")
            encoded = [name for name in self.columns.words if name in self.categories]
            without = [name for name in self.columns.words if name not in self.categories]
            try:
                self.table = read_table((self.path.name, self.path), self.label or None, encoded, without, leave_out=True,
                                        positive=self.positive or None)
            except ValueError as error:
                raise ValueError(page_words(error, self.columns.classes)) from None
        return self.table

    @cached_property
    def columns(self) -> FileColumns:
        """Columns and classes of the file."""
        return FileColumns((self.path.name, self.path), self.label or None)

    def words(self) -> str:
        """Return a description of the table, or "" before it has been read."""
        table = self.table
        if table is None:
            return ""
        values = table.label_values
        listed = " and ".join(v if isinstance(v, str) else f"{v:g}" for v in values)
        labels = f"labels {listed}" if values else "more than two labels"
        ones = f", {table.labels.mean():.0%} ones" if len(values) == 2 else ""
        left = [name for name in self.columns.words if name not in self.categories]
        out = (f"text columns left out: {', '.join(left[:8])}{', …' if len(left) > 8 else ''}",) if left else ()
        return "; ".join((f"{len(table.labels):,} rows, {len(table.names)} features, {labels}{ones}", *table.notes, *out))


RECORDS = 40
LEAST_TEST = 200
MEMORY = 400_000_000
NO_MODE = ("The posterior has no mode: the classes are separable and the prior is flat, so the likelihood has no maximum and"
           " the chains diverge. Set the prior precision above 0.")


@dataclass(frozen=True, eq=False)
class LikelihoodRace:
    """All curves so far, by the samplers' keys, and their data."""

    config: LikelihoodConfig
    source: str  #: description of the data
    train: int  #: number of training rows
    test: int  #: number of test rows
    dim: int  #: number of coefficients, including the intercept
    mode: float | None  #: score of the posterior's mode; None if it has none
    chance: float  #: score of predicting the share of ones in the training rows
    curves: dict[str, LikelihoodCurve] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    unit: ClassVar[str] = "NLL"
    start: ClassVar[float] = math.log(2)  #: score at the start of the chains

    @property
    def n(self) -> int:
        """Number of training rows."""
        return self.train

    @property
    def traces(self) -> list[Trace]:
        """Mean curves of the samplers, with standard errors over the chains."""
        root = math.sqrt(self.config.chains)
        return [Trace(key, c.name, c.passes, c.mean, c.deviation / root) for key, c in self.curves.items()]


def split_of(config: LikelihoodConfig, table: Table | None) -> Split:
    """Return training and test rows; raise ValueError if the data are unsuitable."""
    if config.source in PAPER_ROWS:
        return paper_split(config.source, seed=config.seed)
    if config.source == "generated" or table is None:
        test = max(LEAST_TEST, config.n // 3)
        return generated_split(config.n + test, config.dim, config.seed, train=config.n)
    check_table(table)
    rows = len(table.labels)
    train = min(max(1, round(config.train * rows)), rows - 1)
    split = split_table(table, train, config.seed)
    if split.train_features.shape[1] < 2:
        raise ValueError(f"{name_of(table)}: every feature is constant on the {train:,} training rows; choose another"
                         " file, or a larger training share.")
    return split


def check_table(table: Table) -> None:
    """Raise ValueError if a file's labels or rows are unsuitable for logistic regression."""
    values, rows = np.unique(table.labels), len(table.labels)
    if len(values) > 2:
        some = ", ".join(f"{value:g}" for value in values[:4])
        which = ("choose which one means 1, against all others" if len(values) <= MOST_LEVELS
                 else "make it two classes in the file")
        raise ValueError(f"{name_of(table)}: the label has {len(values):,} different values ({some}, …). Logistic"
                         f" regression needs two: choose another label column, or {which}.")
    if rows < 4:
        raise ValueError(f"{name_of(table)} has {rows} row{'s' if rows > 1 else ''}; at least 4 are needed for training"
                         " and testing.")


def name_of(table: Table) -> str:
    """Return the name of the table's file without its folder."""
    return table.source.replace("\\", "/").rsplit("/", 1)[-1]


def run_likelihood(config: LikelihoodConfig, own: OwnFile | None, handle: JobHandle) -> LikelihoodRace:
    """Run the samplers one after another, on the generated stream, the paper's data or the user's file."""
    if config.source == "file" and own is None:
        raise ValueError("Choose a file first, or select the generated stream.")
    table = None if own is None or config.source != "file" else own.read(handle)
    split = split_of(config, table)
    n, dim = split.train_features.shape
    if table is not None and own.fresh:  # B was set for other data
        config, own.fresh = config.with_batch(max(1, n // 5)), False
    check(config, n, "the training rows")
    chains = max(1, min(config.chains, MEMORY // (8 * n)))
    notes = () if chains == config.chains else (
        f"{chains:,} chains instead of {config.chains:,}: SAGA-LD stores {n:,} numbers per chain.",)
    mode = _mode_score(split, config.prior_precision)
    if mode is None:
        notes = (*notes, NO_MODE)
    race = LikelihoodRace(config, _words(config, table), n, len(split.test_labels), dim, mode, _chance(split),
                          notes=notes)
    record = np.unique(np.concatenate([[0.0], np.geomspace(min(0.02, config.passes / 4), config.passes, RECORDS)]))
    for i, key in enumerate(config.samplers):
        if handle.stopped:
            break
        name = label(key, config, n)

        def progress(_: str, share: float, i: int = i, name: str = name, shown: LikelihoodRace = race) -> None:
            handle.publish(shown, (i + min(1.0, share)) / len(config.samplers), f"{name} is running.")

        sampler = make(key, config, n)
        if config.step == "common" and key != "uld":
            sampler = replace(sampler, step_size=config.step_size)
        try:
            curves = likelihood_race(
                split, {name: sampler}, prior_precision=config.prior_precision, passes=config.passes, record=record,
                chains=chains, seed=config.seed, average=config.average, progress=progress, stop=lambda: handle.stopped)
        except OfflineDivergenceError:
            race = replace(race, notes=(*race.notes, f"{name} diverged: its step is too long for these data. Lower η, or"
                                        " raise b."))
            continue
        curve = curves.get(name)
        if curve is not None and len(curve.passes):
            notes = dict.fromkeys((*race.notes, *map(sentence, curve.run.notes)))
            race = replace(race, curves=race.curves | {key: curve}, notes=tuple(notes))
            handle.publish(race, (i + 1) / len(config.samplers), f"{name} has finished.")
    return race


def sentence(words: str) -> str:
    """Return a library's message as a sentence."""
    return words[:1].upper() + words[1:].rstrip(".") + "."


def _words(config: LikelihoodConfig, table: Table | None) -> str:
    if config.source in PAPER_ROWS:
        return f"{config.source}, as in ZXG’s Table 2"
    if config.source == "generated" or table is None:
        return f"generated stream, {config.dim} sparse features and an intercept"
    return name_of(table)


def _mode_score(split: Split, prior_precision: float) -> float | None:
    """Return the test score of the mode; None if there is none: a flat prior and separable data."""
    problem = LogisticRegression(split.train_features.shape[1], prior_precision)
    try:
        mode = find_mode(problem.posterior(split.train_features, split.train_labels))
        score = negative_log_likelihood(problem, split.test_features, split.test_labels, mode)
    except (ValueError, np.linalg.LinAlgError):
        return None
    return float(score) if np.isfinite(score) else None


def _chance(split: Split) -> float:
    """Return the test score of predicting the training rows' share of ones for every row."""
    rows = len(split.train_labels)
    share = (split.train_labels.sum() + 0.5) / (rows + 1.0)
    ones = float(split.test_labels.mean())
    return float(-(ones * np.log(share) + (1 - ones) * np.log1p(-share)))
