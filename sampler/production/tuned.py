"""`Tuned`: the file ``tuned.toml`` of a tuned setting with model, data format, evidence and gates, and its valid keys."""

import os
import platform
import re
import textwrap
import tomllib
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import tomli_w

from sampler.algorithms.algorithm_names import PLAIN, stream_algorithm
from sampler.arguments import instance_of, seed_number, whole_number
from sampler.atomic_file import atomic_file, disk_errors
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import GLM_KINDS, LogisticRegression
from sampler.production.gates import Gates
from sampler.settings import Settings, checked_settings, read_settings
from sampler.tuning.algorithm_settings import with_algorithm
from sampler.version import MADE_WITH, VERSION

EVIDENCE = (
    "predicted", "rows", "chains", "settings_tried", "sweep", "advised_eta0", "largest_curvature_a_row", "accuracy",
    "ceiling", "width", "narrowest", "widest", "memory", "lag", "reset_rate", "gradients_an_epoch", "verdict",
    "verdict_words", "fits_words", *(f"{fit}_{name}" for fit in ("laplace", "rvga", "ibis") for name in (
        "lag", "narrowest", "widest", "gradients_an_epoch")), "predictive_score",
    "score_error", "score_loss", "calibration_error", "calibration_noise", "rhat", "ess", "mean_error", "mode_lag",
    "common_drift", "drift_alarms",
)
KEYS: dict[str, tuple[str, ...]] = {
    "run": ("chains", "seed"),
    "model": ("kind", "prior_precision", "noise_std", "problem", "terms"),
    "reading": ("response", "features", "intercept", "scale", "settle", "classes", "separator", "header", "decimal",
                "encoding", "categories", "positive"),
    "data": ("name", "query", "key", "rows", "fingerprint"),
    "evidence": EVIDENCE,
    "versions": ("python", "exit-time-lab", "numpy", "numba", "scipy"),
}
"""Valid keys of each table; `Settings` and `Gates` check [settings] and [gates]."""
TABLES = ("settings", "gates", *KEYS)
TOP = ("format", "algorithm", *TABLES)


def check_keys(path: str, tables: dict[str, Any]) -> None:
    """Raise a ValueError for the first unknown key, or key that should be a table, of a file parsed by `tomllib`."""
    for table in TABLES:
        if not isinstance(tables.get(table, {}), dict):
            raise ValueError(f"path: {path!r} has {table} = {tables[table]!r}; it must be a table, [{table}]")
    for where, keys, allowed in (("the top level", tables, TOP),
                                 *((f"[{name}]", tables.get(name, {}), keys) for name, keys in KEYS.items())):
        for key in sorted(set(keys) - set(allowed)):
            raise ValueError(f"path: {path!r} has the unknown key {key!r}: {where} takes no {key}; allowed there: "
                             f"{', '.join(allowed)}; correct or remove it")


FORMAT = 2
"""Latest supported format. A plain setting is written as format 1; releases with only the plain algorithm reject format 2,
which they would run as plain."""
CHAINS = 256
KINDS: dict[str, Any] = {**GLM_KINDS, GaussianMean.kind: GaussianMean}
"""Built-in models by kind."""


@dataclass(frozen=True)
class Tuned:
    """Tuned setting with its model, data format, evidence and gates.

    Attributes
    ----------
    settings : Settings
    model : dict
        ``kind`` and its parameters (``prior_precision``, ``noise_std``), or ``problem = "module:name"`` and ``terms``;
        empty in a bare file: logistic regression with prior precision 1.
    chains, seed : int
    reading : dict
        Keyword arguments of ``DataStream``.
    data : dict
        Tuning data: name, rows, fingerprint.
    evidence : dict
        Measurements of the setting.
    gates : Gates
    versions : dict of str to str
    algorithm : {"saga-ld", "preconditioned", "laplace", "rvga", "ibis"}
        Algorithm of the settings; also stored in ``settings``, so that `Replay` runs the same one.
    """

    settings: Settings
    model: dict[str, Any] = field(default_factory=dict)
    chains: int = CHAINS
    seed: int = 0
    reading: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)
    gates: Gates = field(default_factory=Gates)
    versions: dict[str, Any] = field(default_factory=dict)
    algorithm: str = PLAIN

    def __post_init__(self) -> None:
        checked_settings(self.settings)
        instance_of("gates", self.gates, Gates, "make them with Gates()")
        whole_number("chains", self.chains, 1, 1_000_000)
        seed_number(self.seed)
        for name in ("model", "reading", "data", "evidence", "versions"):
            instance_of(name, getattr(self, name), dict, "leave it out for none")
        named = self.settings.algorithm if self.algorithm == PLAIN else self.algorithm
        object.__setattr__(self, "settings", with_algorithm(self.settings, named))
        object.__setattr__(self, "algorithm", named)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write TOML to exactly ``path``, atomically.

        Raises
        ------
        ValueError
            If the file cannot be written.
        """
        tables = {"format": 1 if self.algorithm == PLAIN else FORMAT, "algorithm": self.algorithm,
                  "settings": self.settings.to_dict(),
                  "run": {"chains": self.chains, "seed": self.seed}, "model": self.model, "reading": self.reading,
                  "data": self.data, "gates": self.gates.to_dict(), "evidence": self.evidence,
                  "versions": self.versions or versions()}
        with disk_errors("path", path, "an older file there is unchanged"), atomic_file(path) as file:
            tomli_w.dump(_without_none(tables), file)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Tuned":
        """Read a file written by ``save``, or a bare file with only the table [settings]; the default algorithm is plain.

        Parameters
        ----------
        path : path
            Path of a ``tuned.toml``.

        Raises
        ------
        ValueError
            If the file is missing, not TOML, of a later format, or has an unknown algorithm or key.
        """
        if not Path(path).is_file():
            raise ValueError(f"path: there is no file {os.fspath(path)!r} (from {os.getcwd()}); check the path")
        try:
            tables = tomllib.loads(Path(path).read_text())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"path: {os.fspath(path)!r} is not a TOML file ({error})") from None
        if not isinstance(tables.get("format", FORMAT), int) or tables.get("format", FORMAT) > FORMAT:
            release = tables.get("versions", {}).get("exit-time-lab", "unknown")
            raise ValueError(f"path: {os.fspath(path)!r} has format {tables['format']!r} and was written by release "
                             f"{release}; this release reads up to format {FORMAT}: upgrade")
        (settings, _), run = read_settings(path), tables.get("run", {})
        check_keys(os.fspath(path), tables)
        gates = Gates.from_dict(tables.get("gates", {})).as_compared_now(tables.get("evidence", {}))
        return cls(settings, tables.get("model", {}), run.get("chains", CHAINS), run.get("seed", 0),
                   tables.get("reading", {}), tables.get("data", {}), tables.get("evidence", {}),
                   gates, tables.get("versions", {}), tables.get("algorithm", PLAIN))

    def problem(self, dim: int) -> Any:
        """Return the built-in problem of ``model`` with ``dim`` coordinates."""
        return built_in_problem(self.model, dim)

    def snippet(self) -> str:
        """Return Python code that runs this setting on a stream; its first line states the release."""
        algorithm, model = stream_algorithm(self.algorithm).__name__, self.model
        settings = (f"Settings(\n{settings_in_python(self.settings)}),\n"
                    f"    chains={self.chains}, seed={self.seed})\n")
        if "problem" in model:
            module, _, name = model["problem"].partition(":")
            return (f"# {MADE_WITH}\nfrom {module} import {name}\nfrom sampler import {algorithm}, Settings\n\n"
                    f"saga = {algorithm}({name}, {settings}"
                    "for _ in range(1000):\n    epoch = saga.observe()  # epoch.samples ~ pi_t\n")
        kind = KINDS[model.get("kind", LogisticRegression.kind)].__name__
        numbers = "".join(f", {name}={value!r}" for name, value in model.items() if name != "kind")
        source, table = self.data.get("name", "data.csv"), "query" in self.data
        opened = f"SqlQuery({source!r}, {self.data['query']!r}, {self.data['key']!r})" if table else repr(source)
        keywords = {"model": model.get("kind"), **self.reading}
        reading = _lines([opened, *(f"{name}={value!r}" for name, value in keywords.items() if value is not None)])
        observe = "saga.observe(features)" if kind == "GaussianMean" else "saga.observe(features, labels)"
        return (f"# {MADE_WITH}\nfrom sampler import DataStream, {kind}\nfrom sampler import {algorithm}, Settings\n"
                + "from sampler.streams import SqlQuery\n" * table + "\n"
                f"stream = DataStream(\n{reading})\n"
                f"saga = {algorithm}({kind}(stream.dim{numbers}), {settings}"
                f"for features, labels in stream:\n    epoch = {observe}  # ~ pi_t\n")


def built_in_problem(model: dict[str, Any], dim: int) -> Any:
    """Return the problem of a [model] table with ``dim`` coordinates."""
    numbers = {name: value for name, value in model.items() if name != "kind"}
    kind = model.get("kind", LogisticRegression.kind)
    if kind not in KINDS:
        raise ValueError(f"model.kind must be one of {', '.join(KINDS)}, got {kind!r}")
    try:
        return KINDS[kind](dim, **numbers)
    except TypeError:
        raise ValueError(f"model: {kind} takes no {', '.join(numbers)} together; see its documentation") from None


def versions() -> dict[str, str]:
    """Return the versions of Python and of packages that may affect results."""
    packages = {name: metadata.version(name) for name in ("numpy", "numba", "scipy")}
    return {"python": platform.python_version(), "exit-time-lab": VERSION, **packages}


def settings_in_python(settings: Settings) -> str:
    """Return indented keyword arguments of ``Settings(...)``: eta0, batch_size, i_max and all non-default values.

    Parameters
    ----------
    settings : Settings
    """
    plain = Settings()
    checked_settings(settings)
    return _lines([f"{name}={value!r}".replace("=inf", "=float('inf')") for name, value in settings.to_dict().items()
                   if value != getattr(plain, name) or name in ("eta0", "batch_size", "i_max")])


def _lines(arguments: list[str]) -> str:
    """Wrap the arguments of a call in indented lines of about 54 characters, without breaking strings."""
    text = re.sub(r"""'[^']*'|"[^"]*\"""", lambda match: match.group().replace(" ", "\0"), ", ".join(arguments))
    return textwrap.fill(text, 54, initial_indent="    ", subsequent_indent="    ", break_long_words=False,
                         break_on_hyphens=False).replace("\0", " ")


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_none(each) for name, each in value.items() if each is not None}
    if isinstance(value, (list, tuple)):
        return [_without_none(each) for each in value]
    return value.item() if hasattr(value, "item") else value
