"""New rows are encoded and scaled like those of the file; tables and their splits."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from sampler import DataStream, LogisticRegression, Predictive
from sampler.streams import UNEQUAL, RowReading, read_table, split_table, spread_ratio
from sampler.streams.row_encoding import RunningScale
from tests.sampler.streams.reading import everything


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """300 rows with semicolons and decimal commas: two numbers, text, a numeric category, an unused column."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("file") / "visits.csv"
    colours, sizes = rng.choice(["red", "blue", "sea green"], 300), rng.choice([1, 2, 3], 300)
    lines = [f"{p:.2f};{c};{a};{s};note {i};{'yes' if rng.random() < 0.4 else 'no'}".replace(".", ",") for i, (p, c, a, s) in
             enumerate(zip(rng.gamma(4, 9, 300), colours, rng.integers(18, 80, 300), sizes, strict=True))]
    path.write_text("price;colour;age;size;note;bought\n" + "\n".join(lines) + "\n")
    return path


def read(file, **options):
    stream = DataStream(file, response="bought", categories=["colour", "size"], scale=True, settle=100, **options)
    return stream, *everything(stream)


def as_frame(file):
    return pd.read_csv(file, sep=";", decimal=",")


def as_dicts(file):
    with open(file, newline="") as opened:
        return list(csv.DictReader(opened, delimiter=";"))  # with decimal commas


@pytest.mark.parametrize("rows", [as_frame, as_dicts])
@pytest.mark.parametrize("intercept", [True, False])
def test_rows_of_the_file_are_encoded_as_in_the_stream(file, rows, intercept):
    stream, features, labels = read(file, intercept=intercept)
    assert stream.reading.names == stream.names and len(stream.names) == 6 + intercept
    # From row 100 on the scale is fixed: equal bit for bit.
    np.testing.assert_array_equal(stream.reading.encode(rows(file))[100:], features[100:])


def test_predictions_use_the_files_labels(file):
    stream, features, _ = read(file)
    draws = np.random.default_rng(1).normal(size=(50, stream.dim))
    plain = Predictive(draws, LogisticRegression(stream.dim))
    predictive = Predictive(draws, LogisticRegression(stream.dim), stream.reading)
    frame = as_frame(file)[100:]
    np.testing.assert_array_equal(predictive.predict_proba(frame), plain.predict_proba(features[100:]))
    assert predictive.classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(predictive.predict(frame) == "yes", plain.predict(features[100:]) == 1)
    np.testing.assert_array_equal(predictive.predict(features), np.where(plain.predict(features) == 1, "yes", "no"))
    one = frame.iloc[3].to_dict()
    np.testing.assert_allclose(predictive.predict_proba(one), predictive.predict_proba(frame)[3:4], rtol=1e-12)
    assert predictive.thompson(np.random.default_rng(0))(frame).shape == (200,)


def test_a_category_is_read_from_cells_of_any_type(file):
    reading = read(file)[0].reading
    row = {"price": 30.0, "colour": "blue", "age": 40, "size": 2}
    expected = reading.encode(row)
    for other in ({"size": "2"}, {"size": 2.0}, {"size": np.int64(2)}, {"colour": " blue ", "note": None}):
        np.testing.assert_array_equal(reading.encode(row | other), expected)
    assert not np.array_equal(reading.encode(row | {"size": 3}), expected)
    for kind in ("category", "string", object):
        np.testing.assert_array_equal(reading.encode(pd.DataFrame([row]).astype({"colour": kind})), expected)


def test_a_reading_survives_json_and_does_not_follow_the_stream(file):
    stream = DataStream(file, "bought", ["price", "colour"], categories=["colour"], scale=True, settle=None)
    first = stream.reading
    everything(stream)
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
    predictive = Predictive(np.zeros((2, stream.dim)), LogisticRegression(stream.dim), stream.reading)
    rows = [GOOD, GOOD | change]
    for x in (rows, pd.DataFrame(rows, dtype=object)):
        with pytest.raises(ValueError, match=words):
            predictive.predict(x)


def test_a_missing_column_is_named_with_those_of_the_file(file):
    stream = read(file)[0]
    predictive = Predictive(np.zeros((2, stream.dim)), LogisticRegression(stream.dim), stream.reading)
    with pytest.raises(ValueError, match="x: there is no column 'age'; pass the file's columns: price, colour, age, size"):
        predictive.predict([{name: cell for name, cell in GOOD.items() if name != "age"}])
    with pytest.raises(ValueError, match=r"reading must give the 3 features of the problem, got 7 \(price, colour="):
        Predictive(np.zeros((2, 3)), LogisticRegression(3), stream.reading)


@pytest.fixture
def raw():
    rng = np.random.default_rng(0)
    return rng.normal(size=(50, 3)) * [1, 100, 1e-6] + [0, 1e6, 5]


def test_row_k_is_scaled_by_rows_1_to_k_only(raw):
    scaled = RunningScale(3, settle=None).add(raw)
    for k in (2, 7, 50):
        seen = raw[:k]
        np.testing.assert_allclose(scaled[k - 1], (raw[k - 1] - seen.mean(axis=0)) / seen.std(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(scaled[0], 0.0)
    raw[20, 0] = 1e12
    wild = RunningScale(3, settle=None).add(raw)
    np.testing.assert_array_equal(wild[:20], scaled[:20])
    # Samuelson's inequality for row k among the first k rows: |x_k - mean| <= sd sqrt(k - 1).
    assert (np.abs(wild).max(axis=1) <= np.sqrt(np.arange(50)) * (1 + 1e-9)).all()


@pytest.mark.parametrize("settle", [10, None])
def test_scaling_is_independent_of_batches_and_stops(raw, settle):
    whole = RunningScale(3, settle).add(raw)
    scale, parts = RunningScale(3, settle), []
    for first in range(0, 50, 7):
        parts.append(scale.add(raw[first:first + 7]))
        scale = RunningScale.from_dict(scale.to_dict())
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    if settle is not None:
        np.testing.assert_allclose(whole[40], (raw[40] - raw[:10].mean(axis=0)) / raw[:10].std(axis=0), rtol=1e-6)


def test_a_constant_feature_becomes_zero():
    raw = np.column_stack([np.full(5, 3.3), np.arange(5.0)])
    np.testing.assert_array_equal(RunningScale(2).add(raw)[:, 0], 0.0)


def test_spread_ratio_ignores_constant_columns_and_offsets():
    x = np.random.default_rng(0).normal(size=(500, 3)) * [1.0, 50.0, 1.0]
    x[:, 2] = 7.0
    assert spread_ratio(x) == pytest.approx(x[:, 1].std() / x[:, 0].std(), rel=0.3) and spread_ratio(x) > UNEQUAL
    assert spread_ratio(x[:, :2] / [1.0, 50.0] + [0.0, 1000.0]) < 1.5
    assert spread_ratio(x[:, :1]) == spread_ratio(x[:0]) == spread_ratio(np.ones((9, 2))) == 1.0


def write(tmp_path, text):
    (tmp_path / "data.txt").write_text(text)
    return tmp_path / "data.txt"


def test_a_label_is_the_last_or_the_chosen_column(tmp_path):
    path = write(tmp_path, "age,mass,ill\n1,2.5,1\n-3,4e1,0\n")
    table, other = read_table(path), read_table(path, label="mass")
    np.testing.assert_array_equal(np.column_stack([table.features, table.labels]), [[1, 2.5, 1], [-3, 40, 0]])
    np.testing.assert_array_equal(np.column_stack([other.features, other.labels]), [[1, 1, 0], [-3, 0, 1]])
    assert table.names == ("age", "mass") and other.names == ("age", "ill")
    assert other.label_values == (2.5, 40.0)  # two values: 0 and 1


@pytest.mark.parametrize(("text", "label", "words"), [
    (b"\n\n", None, "holds no rows"), (b"a,b\n", None, "a header but no rows"),
    (b"a,y\n1,Yes\n5,\n6,no\n", None, "row 2 of data.txt cannot be used: missing or NaN in column 'y'"),
    (b"age,mass,ill\n1,2,0\n\n1,2\n", None, "row 2 of data.txt cannot be used: 2 cells where 3 are expected; repair or"),
    (b"2 1:1 3:2\n\n1 2:1 1:1\n", None, "row 2 of data.txt cannot be used: indices must increase from 1, got 1 after 2"),
    (b"1,2,3\n", "y", "label must be one of the columns c1, c2, c3, got 'y'"),
    (b"1,2,3\n", 7, r"label must be a whole number in \[-3, 2\], got 7")])
def test_invalid_tables(tmp_path, text, label, words):
    (tmp_path / "data.txt").write_bytes(text)
    with pytest.raises(ValueError, match=words):
        read_table(tmp_path / "data.txt", label)


def test_labels_with_one_or_three_values(tmp_path):
    assert read_table(write(tmp_path, "1,5\n2,6\n3,7\n")).labels.tolist() == [5, 6, 7]
    assert read_table(write(tmp_path, "1,2\n2,2\n")).labels.tolist() == [1, 1]
    assert read_table(write(tmp_path, "1,0\n2,0\n")).labels.tolist() == [0, 0]


@pytest.mark.parametrize(("text", "positive", "labels"), [
    ("x,y\n1,a\n2,b\n3,c\n4,b\n", "b", [0, 1, 0, 1]), ("1,5\n2,6\n3,7\n4,6.0\n", "6", [0, 1, 0, 1]),
    ("1;5,5\n2;6,5\n3;7,5\n", 6.5, [0, 1, 0]), ("5 1:1\n6 1:2\n7 1:3\n6 1:4\n", "6", [0, 1, 0, 1])])
def test_one_label_against_the_others(tmp_path, text, positive, labels):
    path = write(tmp_path, text)
    table = read_table(path, positive=positive)
    assert table.labels.tolist() == labels and table.label_values == (f"not {positive}", str(positive))
    with pytest.raises(ValueError, match=r"positive must be a value of the label, column '\w+' \(.*\), got 'z'; choose one"):
        read_table(path, positive="z")


def test_a_missing_label_is_not_one_of_the_others(tmp_path):
    path = write(tmp_path, "a,y\n1,b\n2,\n3,c\n4,d\n")
    with pytest.raises(ValueError, match="row 2 of data.txt cannot be used: missing or NaN in column 'y'"):
        read_table(path, positive="b")
    assert read_table(path, positive="b", leave_out=True).labels.tolist() == [1, 0, 0]


def a_table(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40, 2)) * [10, 1] + [5, 0]
    path = tmp_path / "data.csv"
    path.write_text("".join(f"{a},7,{b},{i % 2}\n" for i, (a, b) in enumerate(x)))
    return read_table(path)


def test_a_split_is_seeded_complete_and_standardised_on_training_rows(tmp_path):
    table = a_table(tmp_path)
    split = split_table(table, 30, seed=3)
    assert split.train_features.shape == (30, 3) and split.test_features.shape == (10, 3)
    assert split.names == ("c1", "c3", "intercept")  # the constant second column is left out
    np.testing.assert_allclose(split.train_features[:, :2].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(split.train_features[:, :2].std(axis=0), 1)
    assert (split.train_features[:, 2] == 1).all() and abs(split.test_features[:, :2].mean()) > 1e-6
    np.testing.assert_array_equal(split_table(table, 0.75, seed=3).train_features, split.train_features)
    assert np.abs(split_table(table, 30, seed=4).train_features - split.train_features).max() > 0.1
    raw = split_table(table, 30, seed=3, standardize=False, intercept=False)
    both = np.concatenate([raw.train_features, raw.test_features])
    np.testing.assert_array_equal(np.sort(both, axis=0), np.sort(table.features, axis=0))


@pytest.mark.parametrize("train", [0, 40, 1.0, 0.0, -0.5, 0.001, True])
def test_a_split_needs_rows_on_both_sides(tmp_path, train):
    with pytest.raises(ValueError, match=r"train must be a share in \(0, 1\) or a number of rows in \[1, 39\]"):
        split_table(a_table(tmp_path), train)
