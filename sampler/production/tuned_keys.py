"""The keys a ``tuned.toml`` may hold: any other is refused by name, since a key nobody reads would mislead in silence."""
from typing import Any

EVIDENCE = (
    "predicted", "rows", "chains", "settings_tried", "sweep", "advised_eta0", "largest_curvature_a_row", "accuracy",
    "ceiling", "width", "narrowest", "widest", "memory", "lag", "reset_rate", "gradients_an_epoch", "verdict",
    "verdict_words", "predictive_score",
    "score_error", "score_loss", "calibration_error", "calibration_noise", "rhat", "ess", "mean_error", "mode_lag",
    "common_drift", "drift_alarms",
)
KNOWN: dict[str, tuple[str, ...]] = {
    "run": ("chains", "seed"),
    "model": ("kind", "prior_precision", "noise_std", "problem", "terms"),
    "reading": ("response", "features", "intercept", "scale", "settle", "classes", "separator", "header", "decimal",
                "encoding", "categories", "positive"),
    "data": ("name", "query", "key", "rows", "fingerprint"),
    "evidence": EVIDENCE,
    "versions": ("python", "exit-time-lab", "numpy", "numba", "scipy"),
}
"""Table -> its keys. Those of [settings] and [gates] are refused by `Settings` and `Gates` themselves."""
TABLES = ("settings", "gates", *KNOWN)
TOP = ("format", "algorithm", *TABLES)


def refuse_unknown(path: str, tables: dict[str, Any]) -> None:
    """Refuse a key that is not known, and a table that is none, by name and with those allowed.

    Parameters
    ----------
    path : str
        Of the file, for the words.
    tables : dict
        The whole file as `tomllib` reads it.

    Raises
    ------
    ValueError
        For the first such key.
    """
    _refuse(path, tables, TOP, "the top level")
    for table in TABLES:
        if not isinstance(tables.get(table, {}), dict):
            raise ValueError(f"path: {path!r} has {table} = {tables[table]!r}; it must be a table, [{table}]")
    for table, known in KNOWN.items():
        _refuse(path, tables.get(table, {}), known, f"[{table}]")


def _refuse(path: str, found: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in sorted(set(found) - set(known)):
        raise ValueError(f"path: {path!r} has the unknown key {key!r}: {where} takes no {key}; allowed there: "
                         f"{', '.join(known)}; correct or remove it")
