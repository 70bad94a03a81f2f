"""The shipped map of methods and its texts."""

import csv
import io

import pytest

from app.compare.cards import map_card
from app.compare.method_map import (
    CANNOT,
    DIMS,
    OPENS_ON,
    PRIOR,
    REGIMES,
    csv_of,
    rows_of,
    shipped_map,
    spoken_of,
)
from sampler.racing import CONTESTANTS
from sampler.version import MADE_WITH
from tests.app.plots.figures import methods


def test_the_shipped_map_is_whole_and_records_how_it_was_made():
    table = shipped_map()
    assert len(table.methods) >= 12 and set(table.methods) <= {*CONTESTANTS, PRIOR}
    assert set(table.methods) <= set(CANNOT)
    assert {column.regime for column in table.columns} == set(REGIMES)
    assert {column.dim for column in table.columns} <= set(DIMS)
    assert OPENS_ON in table.dims
    assert all((table.runs[:, [column.dim == dim for column in table.columns]] > 0).any() for dim in table.dims)
    segments = [["dim", [[str(dim), f"{'' if k else 'd = '}{dim}"] for k, dim in enumerate(table.dims)]]]
    assert map_card({}).segments == segments
    assert table.error.shape == table.runs.shape == (len(table.methods), len(table.columns))
    assert table.runs.max() <= table.made["seeds"] and table.made["measured"] <= table.made["whole"]
    prior = table.methods.index(PRIOR)
    assert not table.enough[prior].any()  # a method that ignores the data is never good enough
    assert table.made["version"] in table.words and table.made["date"] in table.words
    assert table.enough.any(axis=1).sum() >= 5


def test_a_row_lists_where_a_method_is_cheapest_how_often_it_is_good_and_its_limits():
    rows = {row[0]: row[5] for row in rows_of(methods())}
    assert list(rows) == ["mala", "saga", "pg"]
    assert [cells[0] for cells in rows.values()] == [["0", 0], ["1", 1], ["1", 1]]
    assert rows["saga"][1] == ["50%", 0.5] and rows["mala"][1] == ["67%", pytest.approx(2 / 3)]
    assert rows["pg"][1] == ["25%", 0.25]  # a refused posterior counts as not good
    assert rows["mala"][2] == ["1.2 (1.0–1.5)", 1.2] and rows["pg"][3][0] == CANNOT["pg"]
    assert "8 of 300 posteriors" in methods().words
    assert spoken_of(methods(), 2).endswith("SAGA-LD at 1, Pólya-Gamma at 1.") and spoken_of(methods(), 23).endswith("none.")


def test_the_csv_has_one_line_per_run_or_refusal():
    lines = list(csv.DictReader(io.StringIO(csv_of(methods()))))
    assert len(lines) == 11
    first = lines[0]
    assert (first["method"], first["regime"], first["d"], first["t"]) == ("saga", "one in 200", "2", "100")
    assert first["made_with"] == MADE_WITH
    assert float(first["error"]) == 0.05 and float(first["limit"]) == 0.12
