"""New rows are read as those of the file were."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from sampler import DataStream, LogisticRegression, Predictive
from sampler.streams import RowReading


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """300 rows with semicolons and decimal commas: two numbers, words, a small number as a category, a useless column."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("file") / "visits.csv"
    colours, sizes = rng.choice(["red", "blue", "sea green"], 300), rng.choice([1, 2, 3], 300)
    lines = [f"{p:.2f};{c};{a};{s};note {i};{'yes' if rng.random() < 0.4 else 'no'}".replace(".", ",") for i, (p, c, a, s) in
             enumerate(zip(rng.gamma(4, 9, 300), colours, rng.integers(18, 80, 300), sizes, strict=True))]
    path.write_text("price;colour;age;size;note;bought\n" + "\n".join(lines) + "\n")
    return path


def read(file, **options):
    stream = DataStream(file, response="bought", categories=["colour", "size"], scale=True, settle=100, **options)
    features, labels = (np.concatenate(part) for part in zip(*stream, strict=True))
    return stream, features, labels


def as_frame(file):
    return pd.read_csv(file, sep=";", decimal=",")


def as_dicts(file):
    with open(file, newline="") as opened:
        return list(csv.DictReader(opened, delimiter=";"))  # decimal commas and all


@pytest.mark.parametrize("rows", [as_frame, as_dicts])
@pytest.mark.parametrize("intercept", [True, False])
def test_rows_of_the_file_give_the_numbers_that_it_gave(file, rows, intercept):
    stream, features, labels = read(file, intercept=intercept)
    assert stream.reading.names == stream.names and len(stream.names) == 6 + intercept
    # From row 100 on the scale stays as it is: the same numbers, bit for bit.
    np.testing.assert_array_equal(stream.reading.encode(rows(file))[100:], features[100:])


def test_predictions_are_in_the_files_own_words(file):
    stream, features, _ = read(file)
    draws = np.random.default_rng(1).normal(size=(50, stream.dim))
    plain = Predictive(draws, LogisticRegression(stream.dim))
    found = Predictive(draws, LogisticRegression(stream.dim), stream.reading)
    frame = as_frame(file)[100:]
    np.testing.assert_array_equal(found.predict_proba(frame), plain.predict_proba(features[100:]))
    assert found.classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(found.predict(frame) == "yes", plain.predict(features[100:]) == 1)
    np.testing.assert_array_equal(found.predict(features), np.where(plain.predict(features) == 1, "yes", "no"))
    one = frame.iloc[3].to_dict()
    np.testing.assert_allclose(found.predict_proba(one), found.predict_proba(frame)[3:4], rtol=1e-12)
    assert found.thompson(np.random.default_rng(0))(frame).shape == (200,)


def test_a_category_is_read_whatever_the_type_of_its_cells(file):
    reading = read(file)[0].reading
    row = {"price": 30.0, "colour": "blue", "age": 40, "size": 2}
    expected = reading.encode(row)
    for other in ({"size": "2"}, {"size": 2.0}, {"size": np.int64(2)}, {"colour": " blue ", "note": None}):
        np.testing.assert_array_equal(reading.encode(row | other), expected)
    assert not np.array_equal(reading.encode(row | {"size": 3}), expected)
    for kind in ("category", "string", object):
        np.testing.assert_array_equal(reading.encode(pd.DataFrame([row]).astype({"colour": kind})), expected)


def test_it_is_put_back_from_json_and_stands_still_while_the_stream_goes_on(file):
    stream = DataStream(file, "bought", ["price", "colour"], categories=["colour"], scale=True, settle=None)
    first = stream.reading
    for _ in stream:
        pass
    assert first.scale.rows == 0 and stream.reading.scale.rows == 300
    back = RowReading.from_dict(json.loads(json.dumps(stream.reading.to_dict())))
    assert back.names == stream.names
    np.testing.assert_array_equal(back.encode(as_frame(file)), stream.reading.encode(as_frame(file)))


GOOD = {"price": 30.0, "colour": "blue", "age": 40, "size": 2}


@pytest.mark.parametrize(("change", "words"), [
    ({"colour": "pink"}, "x: column 'colour' must be one of (blue|red|sea green), .*, row 2 has 'pink'; repair that row"),
    ({"colour": None}, "x: column 'colour' must be one of .*, row 2 has None"),
    ({"price": float("nan")}, "x: column 'price' must be a finite number, row 2 has nan"),
    ({"price": "dear"}, "x: column 'price' must be a finite number, row 2 has 'dear'"),
    ({"age": float("inf")}, "x: column 'age' must be a finite number, row 2 has inf"),
])
def test_a_cell_that_cannot_be_used_is_named(file, change, words):
    stream = read(file)[0]
    found = Predictive(np.zeros((2, stream.dim)), LogisticRegression(stream.dim), stream.reading)
    rows = [GOOD, GOOD | change]
    for x in (rows, pd.DataFrame(rows, dtype=object)):
        with pytest.raises(ValueError, match=words):
            found.predict(x)


def test_a_missing_column_is_named_with_those_of_the_file(file):
    stream = read(file)[0]
    found = Predictive(np.zeros((2, stream.dim)), LogisticRegression(stream.dim), stream.reading)
    with pytest.raises(ValueError, match="x: there is no column 'age'; give those of the file: price, colour, age, size"):
        found.predict([{name: cell for name, cell in GOOD.items() if name != "age"}])
    with pytest.raises(ValueError, match=r"reading must give the 3 features of the problem, got 7 \(price, colour="):
        Predictive(np.zeros((2, 3)), LogisticRegression(3), stream.reading)
