"""Settings of online SAGA-LD, tuned by hand: checked, immutable, read from and written to TOML."""

import dataclasses
import math
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import tomli_w

from sampler.arguments import instance_of, shown, switch
from sampler.atomic_file import atomic_file
from sampler.version import VERSION

# name -> (type, minimum, maximum, True if the minimum is allowed, advice)
RANGES = {
    "eta0": (float, 0.0, 1e6, False, "start near 0.1 divided by the largest curvature of one term"),
    "batch_size": (int, 1, 10_000_000, True, "9 is the smallest the proof allows, 64 is the paper's choice"),
    "i_max": (int, 1, 10**15, True, "use 1 or more steps per epoch"),
    "acceptance_radius": (float, 0.0, math.inf, False, "use inf, or reset=False, for no resets"),
    "offset": (float, 0.0, 1e12, True, "use L_0/L, the prior's smoothness over a term's; 1 or 2 is usual"),
}
SWITCHES = ("variance_reduction", "reset", "random_length", "refresh")


@dataclass(frozen=True)
class Settings:
    """Knobs of online SAGA-LD; the defaults are those of LMV-n section 5.

    Attributes
    ----------
    eta0 : float, > 0
        Step size: that of epoch t is ``eta_t = eta0 / (t + offset)`` (paper: eta_0).
    batch_size : int, >= 1
        Number of gradients drawn with replacement at each step (b); may exceed t.
    i_max : int, >= 1
        Largest number of steps in an epoch; the mean is half of it if ``random_length`` is on.
    acceptance_radius : float, > 0
        C': an epoch starts at X^{t-1} if it is within C'/sqrt(t+c) of the checkpoint, else at the checkpoint.
    offset : float, >= 0
        c = L_0/L, in epochs.
    variance_reduction, reset, random_length, refresh : bool
        Switches of LMV Algorithm 2; turning one off is an ablation (``variance_reduction=False`` is SGLD).
    """

    algorithm: ClassVar[str] = "saga-ld"  #: name of the online algorithm of these settings

    eta0: float = 0.1
    batch_size: int = 64
    i_max: int = 1000
    acceptance_radius: float = 100.0
    offset: float = 2.0
    variance_reduction: bool = True
    reset: bool = True
    random_length: bool = True
    refresh: bool = True

    def __post_init__(self) -> None:
        for name in RANGES:
            object.__setattr__(self, name, checked_number(name, getattr(self, name)))
        for name in SWITCHES:
            object.__setattr__(self, name, switch(name, getattr(self, name)))

    def replace(self, **changes: Any) -> "Settings":
        """Return a copy with the named values changed; ValueError for an unknown name or a value out of range."""
        unknown = sorted(set(changes) - {f.name for f in dataclasses.fields(self)})
        if unknown:
            raise ValueError(f"unknown setting {unknown[0]!r}; known: {', '.join((*RANGES, *SWITCHES))}")
        return dataclasses.replace(self, **changes)

    def step_size(self, t: int) -> float:
        """Return the step size of epoch t, ``eta0 / (t + offset)``.

        Differs from the paper: LMV-a eq. 70 prints a square root over t + c, a misprint.
        """
        return self.eta0 / (t + self.offset)

    def acceptance_distance(self, t: int) -> float:
        """Return the radius of the acceptance ball at epoch t, ``C'/sqrt(t+c)`` (LMV-n; LMV-a has t - 1 + c)."""
        return self.acceptance_radius / math.sqrt(t + self.offset)

    def to_dict(self) -> dict[str, float | int | bool]:
        """Return the settings as a dict of plain values."""
        return dataclasses.asdict(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table ``[settings]`` as TOML to exactly ``path``, atomically.

        Other tables of an existing file are kept; ``[versions]`` names this release. The key ``algorithm`` is written for
        algorithms other than "saga-ld".
        """
        path = Path(path)
        tables = tomllib.loads(path.read_text()) if path.exists() else {}
        tables.pop("algorithm", None)
        tables["settings"] = self.to_dict()
        tables["versions"] = {**tables.get("versions", {}), "exit-time-lab": VERSION}
        if self.algorithm != Settings.algorithm:
            tables["algorithm"] = self.algorithm
        with atomic_file(path) as file:
            tomli_w.dump(tables, file)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Settings":
        """Read the table ``[settings]`` of the TOML file at ``path``; other tables are ignored.

        Raises
        ------
        ValueError
            For invalid TOML, a missing table, an invalid setting, or a file for another algorithm than SAGA-LD.
        """
        settings, algorithm = read_settings(path)
        if algorithm != Settings.algorithm:
            raise ValueError(f"path: {str(path)!r} must have settings of {Settings.algorithm!r}, got those of "
                             f"{algorithm!r}; read it with Tuned.load")
        return settings


def read_settings(path: str | os.PathLike[str]) -> tuple[Settings, str]:
    """Return the table ``[settings]`` of the TOML file at ``path`` as `Settings`, and the name of its algorithm."""
    try:
        tables = tomllib.loads(Path(path).read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"path: {str(path)!r} is not a TOML file ({error}); "
                         "save one with Settings.save") from None
    if not isinstance(tables.get("settings"), dict):
        raise ValueError(f"path: {str(path)!r} has no table [settings]; save one with Settings.save")
    return Settings().replace(**tables["settings"]), tables.get("algorithm", Settings.algorithm)


def checked_settings(value: Settings) -> Settings:
    """Return ``value`` if it is a `Settings`, or raise a ValueError."""
    instance_of("settings", value, Settings, "make one with Settings()")
    return value


def checked_number(name: str, value: object) -> float | int:
    """Return ``value`` in the type of the setting ``name``, or raise a ValueError with its type and range."""
    kind, low, high, closed, advice = RANGES[name]
    allowed = f"{'[' if closed else '('}{low:g}, {high:g}{')' if high == math.inf else ']'}"
    whole = "a whole number" if kind is int else "a number"
    try:
        if isinstance(value, (bool, np.bool_, str, bytes, np.ndarray)):
            raise TypeError
        number = kind(value)
        if number != value:
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be {whole} in {allowed}, got {shown(value)}; {advice}") from None
    if not (low <= number <= high) or (number == low and not closed):
        raise ValueError(f"{name} must be {whole} in {allowed}, got {shown(value)}; {advice}")
    return number
