"""The user's data in the lab file: read as in the library, used, saved with and without."""

import json

import numpy as np
import pytest

from app.extras.lab_file.content import own_facts
from sampler.streams import DataStream
from tests.browser.lab_file.test_desk import until
from tests.browser.module_page import fixture_of, script_page

pytestmark = pytest.mark.browser

HARNESS = """import {readTable, textOf} from "/lab/csv_table.js"
import {classesOf, numericColumns, useRows} from "/lab/own_rows.js"
Object.assign(window, {readTable, textOf, useRows, classesOf, numericColumns})"""
page = fixture_of(script_page, HARNESS)
FILES = {
    "plain": "a,b,y\n1,2,0\n3,4.5,1\n-1e3,0,1\n2,2,0\n",
    "semicolons, decimal commas": "a;b;y\n1,5;2;0\n3;4,5;1\n2,25;1;1\n",
    "tabs, quotes": '"a"\t"b ""x"""\ty\n"1"\t2\t0\n3\t4\t1\n5\t6\t0\n',
    "no header": "1,2,0\n3,4,1\n5,6,0\n7,8,1\n",
    "bad cells": "a,b,y\n1,2,0\n,3,1\n4,x,1\n5,inf,0\n6,7,NA\n8,9,1\n1,1,0\n",
    "windows": "a,b,y\r\n1,2,0\r\n\r\n3,4,1\r\n5,5,1\r\n",
    "spaces": "a b y\n1 2 0\n3 4 1\n6 5 1\n",
    "yes and no": "a,b,y\n1,2,no\n3,4,yes\n5,6,no\n",
}


def used(page, text, **choices):
    merged = {"response": "y", "kind": "logistic", "positive": "", "features": ["a", "b"], "intercept": True, "scale": True}
    merged |= choices
    return page.evaluate("""([text, choices, missing]) => {
      const table = readTable(text)
      if (!table.names.includes(choices.response)) Object.assign(choices, {response: "c3", features: ["c1", "c2"]})
      choices.features ??= numericColumns(table, missing).filter(name => name !== choices.response)
      const {features, labels, ...rest} = useRows(table, choices, missing)
      return {features: [...features], labels: labels && [...labels], ...rest, first: table.names[1]}
    }""", [text, merged, own_facts()["missing"]])


@pytest.mark.parametrize("name", FILES)
def test_rows_equal_those_of_the_library(page, name):
    text = FILES[name]
    features = None if "quotes" in name else ["a", "b"]
    here = used(page, text, features=features)
    stream = DataStream(("own.csv", text.encode()), model="logistic", scale=True)
    rows, labels = map(np.concatenate, zip(*stream, strict=True))
    np.testing.assert_allclose(np.reshape(here["features"], (-1, 3)), rows, rtol=0, atol=1e-12)  # Welford's sums
    assert here["labels"] == [1 if label > 0 else -1 for label in labels]
    lines = len([line for line in text.splitlines() if line]) - (name != "no header")
    assert here["rows"] + sum(count for _, count in here["left"]) == lines


def test_omitted_rows_are_counted_by_reason(page):
    here = used(page, FILES["bad cells"])
    assert dict(map(tuple, here["left"])) == {"missing or NaN in “a”": 1, "text in “b”": 1, "infinite in “b”": 1,
                                              "missing or NaN in “y”": 1}


def test_unusable_rows_are_an_error(page):
    for text, choices, words in (("", {}, "no rows"), ("a\n1\n2\n", {}, "one column"), ("a,b,y\n1,2,3\n", {}, "one value"),
                                 ("a,b,y\n1,2,0\n3,4,1\n5,6,2\n", {}, "choose the one that means 1"),
                                 ("a,a,y\n1,2,0\n", {}, "two columns named"), ('a,b,y\n"1,2,0\n', {}, "quotation"),
                                 ("a,b,y\n1,2,0\n3,4,1\n", {"features": [], "intercept": True}, "Choose one more column"),
                                 ("a,b,y\n1,2,-1\n3,4,0.5\n", {"kind": "poisson"}, "Fewer than two rows")):
        with pytest.raises(Exception, match=words):
            used(page, text, **choices)


def test_a_linear_response_is_standardised_and_21_columns_are_the_maximum(page):
    draw = np.random.default_rng(1)
    names = [f"x{k}" for k in range(25)]
    text = "\n".join([",".join([*names, "y"]), *(",".join(f"{x:.3f}" for x in row) for row in draw.normal(3, 2, (40, 26)))])
    here = used(page, text, kind="linear", features=names[:20])
    assert here["dim"] == 21 and abs(np.mean(here["labels"])) < 1e-12 and np.isclose(np.std(here["labels"]), 1)
    with pytest.raises(Exception, match="at most 20 columns besides the intercept"):
        used(page, text, kind="linear", features=names[:21])


def csv_of(rows=60):
    draw = np.random.default_rng(2)
    x = draw.normal(size=(rows, 2))
    lines = [f"{a:.3f},{b:.3f},{int(a + b + draw.normal() > 0)}" for a, b in x]
    return "left,right,outcome\n" + "\n".join([*lines, "1,,0", "2,many,1"]) + "\n"


def test_a_file_is_read_used_and_saved_and_another_is_dropped_anywhere(fake_file, open_file, tmp_path):
    tab = open_file(fake_file)
    tab.locator("input[type=file]").set_input_files({"name": "own.csv", "mimeType": "text/csv", "buffer": csv_of().encode()})
    notes = tab.locator("ul.says")
    notes.wait_for()
    until(tab, "deep('ul.says').textContent.includes('60 of 62 rows are used')")
    assert "1 with missing or NaN in “right”" in notes.inner_text() and "1 with text in “right”" in notes.inner_text()
    tab.get_by_role("button", name="Use these rows").click()
    until(tab, "lab.run.last.config.problem === 'given' && epoch_shown() > 8")
    assert tab.locator(".menu-problem select").input_value() == "own.csv, 60 rows"
    for name, expected in (("Save without the rows", False), ("Save with the rows", True)):
        tab.get_by_label("More ways to share").click()
        tab.get_by_role("menuitem", name="Save this file").click()
        with tab.expect_download() as download:
            tab.get_by_role("button", name=name).click()
        saved = tmp_path / f"{expected}.html"
        download.value.save_as(saved)
        html = saved.read_text(encoding="utf-8")
        assert ('id="rows"' in html) == expected and ("problem=given" in html) == expected
        other = open_file(saved)
        until(other, f"(lab.run.last.config.problem === 'given') === {json.dumps(expected)}")
    assert "left" not in tab.evaluate("location.href")

    tab.evaluate("""text => {
      const data = new DataTransfer()
      data.items.add(new File([text], "own.csv", {type: "text/csv"}))
      for (const kind of ["dragenter", "dragover", "drop"]) {
        dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}))
      }
    }""", csv_of())
    until(tab, "deep('dialog[aria-label=\"Your data\"]').open")
    tab.locator("select.pick-kind").select_option("linear")
    until(tab, "deep('ul.says').textContent.includes('units of its standard deviation')")
    tab.get_by_role("button", name="Use these rows").click()
    until(tab, "lab.run.last.config.problem === 'given' && lab.parts.own.kind === 'linear'")
