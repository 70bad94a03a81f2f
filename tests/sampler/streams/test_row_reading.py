"""New rows are read and scaled as those of the file were."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from sampler import DataStream, LogisticRegression, Predictive
from sampler.streams import UNEQUAL, RowReading, spread_ratio
from sampler.streams.feature_scaling import RunningScale


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


@pytest.fixture
def raw():
    rng = np.random.default_rng(0)
    return rng.normal(size=(50, 3)) * [1, 100, 1e-6] + [0, 1e6, 5]


def test_row_k_is_scaled_by_rows_1_to_k_and_never_by_later_ones(raw):
    scaled = RunningScale(3, settle=None).add(raw)
    for k in (2, 7, 50):
        seen = raw[:k]
        np.testing.assert_allclose(scaled[k - 1], (raw[k - 1] - seen.mean(axis=0)) / seen.std(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(scaled[0], 0.0)
    raw[20, 0] = 1e12
    wild = RunningScale(3, settle=None).add(raw)
    np.testing.assert_array_equal(wild[:20], scaled[:20])
    # Samuelson's inequality: with row k among its own k raw, |x_k - mean| <= sd sqrt(k - 1).
    assert (np.abs(wild).max(axis=1) <= np.sqrt(np.arange(50)) * (1 + 1e-9)).all()


@pytest.mark.parametrize("settle", [10, None])
def test_batches_and_a_stop_in_between_make_no_difference(raw, settle):
    whole = RunningScale(3, settle).add(raw)
    scale, parts = RunningScale(3, settle), []
    for first in range(0, 50, 7):
        parts.append(scale.add(raw[first:first + 7]))
        scale = RunningScale.from_dict(scale.to_dict())
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    if settle is not None:
        np.testing.assert_allclose(whole[40], (raw[40] - raw[:10].mean(axis=0)) / raw[:10].std(axis=0), rtol=1e-6)


def test_a_feature_that_does_not_vary_becomes_zero():
    raw = np.column_stack([np.full(5, 3.3), np.arange(5.0)])
    np.testing.assert_array_equal(RunningScale(2).add(raw)[:, 0], 0.0)


def test_the_ratio_is_of_columns_that_vary_and_far_from_zero_is_not_wide():
    x = np.random.default_rng(0).normal(size=(500, 3)) * [1.0, 50.0, 1.0]
    x[:, 2] = 7.0
    assert spread_ratio(x) == pytest.approx(x[:, 1].std() / x[:, 0].std(), rel=0.3) and spread_ratio(x) > UNEQUAL
    assert spread_ratio(x[:, :2] / [1.0, 50.0] + [0.0, 1000.0]) < 1.5
    assert spread_ratio(x[:, :1]) == spread_ratio(x[:0]) == spread_ratio(np.ones((9, 2))) == 1.0
