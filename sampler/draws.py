"""Export of draws: a DataTree for ArviZ, a pandas DataFrame, a file."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from sampler.atomic_file import atomic_file, disk_errors
from sampler.version import MADE_WITH, VERSION

if TYPE_CHECKING:
    import pandas
    import xarray

LIBRARY = "exit-time-lab"
INSTALL = f'pip install "{LIBRARY}[arviz]"'
COLUMNS = ("chain", "draw")
NEEDED = {".parquet": (), ".pq": (), ".nc": ("xarray", "h5py", "h5netcdf"), ".zarr": ("xarray", "zarr")}
"""Suffix of a file -> optional packages required to write it."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws from one posterior, or from several, one per epoch.

    Attributes
    ----------
    samples : (chains, draws, dim) array
    epochs : (draws,) int array
        Epoch of each draw, its coordinate ``draw`` in ArviZ.
    names : (dim,) tuple of str, or None
        Names of the coefficients, if available.
    attributes : dict
        Additional numbers and strings.
    earlier : Draws, optional
        Draws of earlier epochs, each from its own posterior.
    """

    samples: np.ndarray
    epochs: np.ndarray
    names: Sequence[str] | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    earlier: "Draws | None" = None

    def __post_init__(self) -> None:
        dim = self.samples.shape[2]
        if self.names is None:
            return
        names = tuple(self.names) if not isinstance(self.names, str) else (self.names,)
        if len(names) != dim or len(set(names)) != dim or not all(isinstance(name, str) for name in names):
            raise ValueError(f"names must be {dim} different strings, one per coefficient, got {names!r}; a DataStream has "
                             "them in .names")
        object.__setattr__(self, "names", names)

    def columns(self) -> dict[str, np.ndarray]:
        """Return the coefficients by name, each (chains * draws,), chain by chain; ``theta[j]`` without names."""
        flat = self.samples.reshape(-1, self.samples.shape[2])
        return {name: flat[:, j] for j, name in enumerate(self.names or [f"theta[{j}]" for j in range(flat.shape[1])])}

    def to_dataframe(self) -> "pandas.DataFrame":
        """Return a pandas DataFrame with one row per draw and one column per coefficient, indexed by (chain, draw)."""
        pandas = installed("pandas")
        index = pandas.MultiIndex.from_product([range(len(self.samples)), self.epochs.tolist()], names=COLUMNS)
        return pandas.DataFrame(self.columns(), index=index)

    def to_datatree(self) -> "xarray.DataTree":
        """Return an xarray DataTree for ArviZ: group ``posterior`` with ``theta`` over (chain, draw, coefficient).

        ``earlier``, if not None, is the group ``earlier_epochs``, with its own attributes.
        """
        xarray = installed("xarray")
        groups = {"posterior": self._dataset(xarray)}
        if self.earlier is not None and len(self.earlier.epochs):
            groups["earlier_epochs"] = self.earlier._dataset(xarray)
        return xarray.DataTree.from_dict(groups)

    def _dataset(self, xarray: ModuleType) -> "xarray.Dataset":
        chains, _, dim = self.samples.shape
        attributes = {"created_at": datetime.now(UTC).isoformat(timespec="seconds"), "inference_library": LIBRARY,
                "inference_library_version": VERSION}
        return xarray.Dataset(
            {"theta": ((*COLUMNS, "coefficient"), self.samples)},
            {"chain": np.arange(chains), "draw": np.asarray(self.epochs),
             "coefficient": list(self.names) if self.names else np.arange(dim)}, {**attributes, **self.attributes})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write Parquet (columns chain, draw and the coefficients), NetCDF or Zarr (the DataTree), by the suffix.

        An existing file is replaced atomically; an existing Zarr folder raises a ValueError.
        """
        check_path(path)
        write = {".nc": self._netcdf, ".zarr": self._zarr}.get(Path(path).suffix.lower(), self._parquet)
        with disk_errors("path", path, "an older file there is unchanged"):
            write(path)

    def _parquet(self, path: str | os.PathLike[str]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        columns = self.columns()
        if set(COLUMNS) & set(columns):
            raise ValueError(f"names must be other than chain and draw in a Parquet file, got {', '.join(columns)}; "
                             "pass names, or write NetCDF")
        chains, draws, _ = self.samples.shape
        numbers = {"chain": np.repeat(np.arange(chains), draws), "draw": np.tile(self.epochs, chains)}
        metadata = {"made_with": MADE_WITH} | {name: str(value) for name, value in self.attributes.items()}
        with atomic_file(path) as file:
            parquet.write_table(pa.table({**numbers, **columns}).replace_schema_metadata(metadata), file)

    def _netcdf(self, path: str | os.PathLike[str]) -> None:
        tree = self.to_datatree()
        with atomic_file(path) as file:
            tree.to_netcdf(file.name, engine="h5netcdf")

    def _zarr(self, path: str | os.PathLike[str]) -> None:
        self.to_datatree().to_zarr(path, zarr_format=2)  # version 3 does not specify text


class HasDraws:
    """Mixin of results with samples, which `draws` returns."""

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """Return the samples with their epochs; ``names`` are those of the coefficients, if the result has none."""
        raise NotImplementedError

    def to_datatree(self, names: Sequence[str] | None = None) -> "xarray.DataTree":
        """Return the samples as a DataTree for ArviZ (requires xarray); ``names`` of coefficients, None numbers them."""
        return self.draws(names).to_datatree()

    def to_dataframe(self, names: Sequence[str] | None = None) -> "pandas.DataFrame":
        """Return the samples as a pandas DataFrame; ``names`` of the coefficients, None numbers them."""
        return self.draws(names).to_dataframe()

    def save_draws(self, path: str | os.PathLike[str], names: Sequence[str] | None = None) -> None:
        """Write the samples to ``path``, with suffix .parquet, .pq, .nc or .zarr; ``names`` as for `to_dataframe`."""
        self.draws(names).save(path)


def check_path(path: str | os.PathLike[str]) -> None:
    """Raise a ValueError for a path that draws cannot be written to; call it before computing them."""
    suffix = Path(path).suffix.lower()
    if suffix not in NEEDED:
        raise ValueError(f"path must end in .parquet, .nc or .zarr, got {os.fspath(path)!r}; for text use "
                         "to_dataframe().to_csv")
    for package in NEEDED[suffix]:
        installed(package)
    if suffix == ".zarr" and Path(path).exists():
        raise ValueError(f"path: {os.fspath(path)!r} already exists; choose another name, or remove it")
    if not Path(path).absolute().parent.is_dir():
        raise ValueError(f"path: there is no folder for {os.fspath(path)!r}; create it, or choose another")


def installed(package: str) -> ModuleType:
    """Import and return the package; raise a ValueError with the install command if it is missing."""
    try:
        return import_module(package)
    except ImportError:
        raise ValueError(f"{package} must be installed for this; run {INSTALL}") from None
