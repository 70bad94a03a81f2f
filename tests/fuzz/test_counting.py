"""The search itself: it goes on past what it finds, tells each finding once, and the table counts them."""

from types import SimpleNamespace

import pytest
from hypothesis import strategies as st

from tests.fuzz.counting import search
from tests.fuzz.table import Table


def test_a_search_goes_on_past_findings_and_tells_each_once():
    recorded = {}

    def check(drawn):
        assert drawn % 7, "sevenths"
        if drawn > 50:
            raise TypeError("large")
        return 2

    with pytest.raises(AssertionError) as told:
        search(recorded.__setitem__, "numbers", 90, st.integers(0, 60), check)
    area, cases, seconds, findings = recorded["fuzz"]
    assert (area, findings) == ("numbers", 2) and cases > 90 and seconds >= 0
    assert "the shortest with 0\n" in str(told.value) and "TypeError: large" in str(told.value)


def test_the_table_is_kept_after_every_test(tmp_path, monkeypatch):
    monkeypatch.setenv("FUZZ_TABLE", str(tmp_path / "table.txt"))
    said = []
    table = Table(said.append)
    step = {"when": "call", "failed": False, "outcome": "passed", "nodeid": "tests/a.py::test_a", "longreprtext": "why"}
    table.add(SimpleNamespace(**step, user_properties=[("fuzz", ("links", 3_000, 1.5, 0))]))
    table.add(SimpleNamespace(**{**step, "when": "setup"}, user_properties=[("fuzz", ("links", 3_000, 1.5, 0))]))
    assert "links               3,000 cases" in (tmp_path / "table.txt").read_text() and len(said) == 1
    table.add(SimpleNamespace(**{**step, "failed": True}, user_properties=[("fuzz", ("files", 10, 1.0, 2))]))
    table.add(SimpleNamespace(**{**step, "failed": True, "when": "setup"}, user_properties=[]))
    kept = (tmp_path / "table.txt").read_text()
    assert [row.split("  ")[-1] for row in table.rows()] == ["2 findings", "no findings", "1 finding", "3 findings"]
    assert "3,010 cases" in kept and "why" in kept and table.rows()[2].startswith("not counted")
