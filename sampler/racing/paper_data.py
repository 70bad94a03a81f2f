"""The four data sets of ZXG's Figures 3 and 4 (their Table 2), split as in the paper.

split = paper_split("pima")                                 # 600 rows to train, 168 to test
split = paper_split("a9a", "a9a", "a9a.t")                  # the paths of its two files
"""

import os
from dataclasses import dataclass
from pathlib import Path

from sampler.arguments import choice, seed_number
from sampler.streams.tables import Split, Table, read_table, split_table, split_tables

FOLDER = Path(__file__).parent / "data"


@dataclass(frozen=True)
class PaperData:
    """One column of ZXG's Table 2.

    Attributes
    ----------
    train, test : int
        Numbers of rows.
    columns : int
        Number of features, d.
    file : str
        Name in ``sampler/racing/data``; empty if two files must be passed.
    where : str
        Source of the file if it is not in an installed library: a sentence.
    """

    train: int
    test: int
    columns: int
    file: str = ""
    where: str = ""

    @property
    def here(self) -> bool:
        """Whether the library has the file."""
        return bool(self.file) and (FOLDER / self.file).exists()


PAPER_DATA = {
    "pima": PaperData(600, 168, 8, "pima-indians-diabetes.csv",
                      "pima does not come with an installed library, since UCI withdrew it for lack of permission: save data"
                      " set 37 of openml.org as CSV, and give its path"),
    "mushrooms": PaperData(6000, 2124, 112, "mushrooms.libsvm"),
    "a9a": PaperData(32_561, 16_281, 123),
    "ijcnn1": PaperData(49_990, 91_701, 22),
}
"""Data sets of ZXG Table 2, by name."""


def paper_split(name: str, path: str | os.PathLike[str] | None = None, test_path: str | os.PathLike[str] | None = None,
                seed: int = 0) -> Split:
    """Return training and test rows of one of ``PAPER_DATA``.

    Differs from the paper: features are standardised on the training rows and an intercept is added, which it does
    not mention; nor does it specify the training rows of pima and mushrooms: ``seed`` draws them.

    Parameters
    ----------
    name : str
        A key of ``PAPER_DATA``.
    path, test_path : path, optional
        Of the training and of the test file, which a9a and ijcnn1 need (https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets);
        of the one file of pima or mushrooms, if it is stored elsewhere.
    seed : int >= 0
        Of the split of pima and mushrooms.

    Raises
    ------
    ValueError
        For an unknown name, and a missing file.
    """
    data, seed = PAPER_DATA[choice("name", name, tuple(PAPER_DATA))], seed_number(seed)
    if data.file:
        path = path or FOLDER / data.file
        if not Path(path).exists():
            where = data.where or f"{data.file} comes with the library, in sampler/racing/data: give its path"
            raise ValueError(f"path: no file at {os.fspath(path)!r}; {where}")
        return split_table(_read(name, path, data.train + data.test, data.columns), data.train, seed)
    if path is None or test_path is None:
        raise ValueError(f"path and test_path must be given for {name}: download {name} and {name}.t from the LIBSVM data "
                         "page, unpack them, and give both paths")
    return split_tables(_read(name, path, data.train, data.columns), _read(name, test_path, data.test, data.columns))


def _read(name: str, path: str | os.PathLike[str], rows: int, columns: int) -> Table:
    table = read_table(path)
    if len(table.labels) != rows or len(table.names) > columns:
        raise ValueError(f"path: {os.fspath(path)!r} has {len(table.labels):,} rows and {len(table.names)} features, {name} "
                         f"has {rows:,} and {columns}; give the file of Table 2")
    return table
