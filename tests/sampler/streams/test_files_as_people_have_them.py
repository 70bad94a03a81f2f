"""Encodings, decimal commas, quoted line breaks, non-text files, guessed responses, classes, categories."""

import io
import pickle
import random
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from sampler import DataStream
from sampler.streams import SourceError, check_upload, peek, read_table, text_file
from sampler.streams.csv_reader import CsvReader, separator_of
from tests.sampler.streams.reading import everything

TEXT = "größe;gewicht;y\n1,5;2,25;ja\n-3,0;1e1;nein\n2,5;7;ja\n"
NUMBERS = [[1.5, 2.25], [-3, 10], [2.5, 7]]


def read(data, name="f.csv", **options):
    stream = DataStream((name, data.encode() if isinstance(data, str) else data), **{"intercept": False, **options})
    return stream, *everything(stream)


@pytest.mark.parametrize(("encoded", "notes"), [
    (TEXT.encode(), ()), (TEXT.encode("utf-8-sig"), ()),
    (TEXT.encode("latin-1"), ("read as Latin-1 (Windows-1252), since it is not UTF-8",)),
    (TEXT.encode("utf-16"), ("read as UTF-16",)), (TEXT.encode("utf-16-le"), ("read as UTF-16",)),
    (TEXT.encode("utf-16-be"), ("read as UTF-16",)), (TEXT.encode("utf-32"), ("read as UTF-32",)),
    (TEXT.replace("\n", "\r\n").encode("utf-16"), ("read as UTF-16",)), (TEXT.replace("\n", "\r").encode(), ())])
def test_encodings_line_ends_and_decimal_commas_are_detected_and_noted(tmp_path, encoded, notes):
    path = tmp_path / "f.csv"
    path.write_bytes(encoded)
    for source in (path, ("mine.csv", encoded), io.BytesIO(encoded), ("mine.csv", path)):
        stream = DataStream(source, intercept=False)
        features, labels = everything(stream)
        assert stream.names == ("größe", "gewicht") and stream.classes == ("ja", "nein") and stream.decimal == ","
        np.testing.assert_array_equal(features, NUMBERS)
        np.testing.assert_array_equal(labels, [0, 1, 0])
        assert stream.report().notes == (*notes, "read with decimal commas")
    assert peek(path).names[0] == "größe" and read_table(path).notes == (*notes, "read with decimal commas")
    np.testing.assert_array_equal(read_table(path).features, NUMBERS)


def test_an_encoding_can_be_chosen_and_is_checked():
    stream, _, _ = read("рост;y\n1;0\n2;1\n".encode("cp1251"), encoding="cp1251")
    assert stream.names == ("рост",) and stream.report().notes == ()
    for wrong in ("klingon", "base64", ""):
        with pytest.raises(ValueError, match="encoding must be a Python text encoding"):
            DataStream(("f.csv", b"a,y\n1,0\n2,1\n"), encoding=wrong)


def test_a_letter_split_between_two_reads(tmp_path, monkeypatch):
    monkeypatch.setattr("sampler.streams.text_file.BLOCK", 97)
    rows = "".join(f'{i},"grün\n{"ö" * (i % 7)}",{i % 2}\n' for i in range(300))
    for encoding in ("utf-8", "utf-16", "latin-1"):
        (tmp_path / "f.csv").write_bytes(("a,wort,y\n" + rows).encode(encoding))
        chunks = list(CsvReader(tmp_path / "f.csv").chunks(("a", "wort")))
        words = [cell for chunk in chunks for cell in chunk.columns["wort"].to_pylist()]
        assert words == [f"grün\n{'ö' * (i % 7)}" for i in range(300)] and chunks[-1].first + chunks[-1].n == 301


def test_quoted_line_breaks_separators_and_quotes():
    stream, features, labels = read('a,"weight\n(kg)",note,y\n1,2,"x, ""y""\nz",0\n\n3,,"5"" pipe",1\n5,6,don\'t,1\n')
    assert stream.names == ("a", "weight (kg)") and features.tolist() == [[1, 2], [5, 6]] and labels.tolist() == [0, 1]
    assert "1 row left out, missing or NaN in column 'weight (kg)': row 2 of f.csv" in stream.report().words()
    with pytest.raises(ValueError, match="'f.csv' has a quotation mark that is never closed, before 'oops,1"):
        read('a,note,y\n1,x,0\n2,"oops,1\n3,z,0\n')


def test_points_thousands_and_commas_are_distinguished():
    thousands = 'a,b,y\n"1,500",1,0\n"2,000",2,1\n3,3,1\n'
    assert read(thousands)[0].decimal == "." and read(thousands)[0].report().left_out == {
        "a": "text, not numbers; or it uses a decimal comma: pass decimal=','"}
    for mark in (";", "\t", "|"):  # not read as 1.234
        stream, features, _ = read("a b y\n999 1 0\n1,234 2 1\n12,345 3 1\n".replace(" ", mark))
        assert stream.report().left_out.keys() == {"a"} and features.tolist() == [[1], [2], [3]]
    assert peek(("f.csv", thousands.encode())).rows[0][0] == "1,500"
    assert read('a,b,y\n"1,5",1,0\n"2,25",2,1\n')[1].tolist() == [[1.5, 1], [2.25, 2]]
    assert read("a;b;y\n1.5;1;0\n2.5;2;1\n")[1].tolist() == [[1.5, 1], [2.5, 2]]
    assert read("a\tb\ty\n1,5\t1\t0\n2\t2\t1\n")[1].tolist() == [[1.5, 1], [2, 2]]


@pytest.mark.parametrize(("separator", "columns"), [(";", 2), ("\t", 3), ("|", 5), (" ", 2), (" ", 5)])
def test_decimal_commas_in_every_cell_are_no_separator(separator, columns):
    """Split at commas such a file has the same number of columns, or one more."""
    numbers = np.random.default_rng(0).normal(size=(40, columns)).round(3)
    names = [f"x{j}" for j in range(columns)]
    rows = [separator.join(f"{value:.3f}".replace(".", ",") for value in row) for row in numbers]
    for header in (separator.join(names), '"' + f'"{separator}"'.join(names) + '"'):
        stream, features, labels = read("\n".join([header, *rows, ""]), model="linear")
        assert (*stream.names, stream.choice.response) == tuple(names) and stream.decimal == ","
        np.testing.assert_array_equal(np.column_stack([features, labels]), numbers)
    assert separator_of("\n".join(rows)) == separator


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;;;"])
def test_the_separator_line_for_excel_is_not_a_row(tmp_path, first):
    stream, features, labels = read(f"{first}\r\n" + TEXT.replace("\n", "\r\n"))
    assert stream.names == ("größe", "gewicht") and features.tolist() == NUMBERS and labels.tolist() == [0, 1, 0]
    (tmp_path / "f.csv").write_text(f"{first}\n" + TEXT + "oops;1;ja\n")
    with pytest.raises(ValueError, match="row 4 of f.csv cannot be used: text in column 'größe'"):
        read_table(tmp_path / "f.csv")


@pytest.mark.parametrize("names", ["a,b,y", "4,5,0"])
def test_trailing_separators_add_no_columns(tmp_path, names):
    text = f"{names},,\n1,2,0,,\n3,,1,,\n5,6,1, ,\n"
    stream, features, labels = read(text)
    assert len(stream.names) == 2 and features[-1].tolist() == [5, 6] and labels[-1] == 1
    assert len(peek(("f.csv", text.encode())).names) == 3
    (tmp_path / "f.csv").write_text(text.replace("3,,1", "3,4,1"))
    assert read_table(tmp_path / "f.csv").features[-2:].tolist() == [[3, 4], [5, 6]]
    assert DataStream(("f.csv", b"a,b,\n1,2,\n3,4,\n1,2,\n")).names == ("a", "intercept")


@pytest.mark.parametrize(("text", "words"), [
    ("# exported\n# today\na,b,y\n1,2,0\n3,4,1\n", "the row '# exported', which has 1 of the 3 cells .* above the header"),
    ("a,y\n1,2,0\n3,4,1\n5,6,1\n", "'a,y', which has 2 of the 3 cells"),
    ("My table;;\na;b;y\n1;2;0\n3;4;1\n", "2 columns without a name .*, 'My table', '', ''; delete the lines above"),
    ('[{"a": 1, "y": 0}, {"a": 2, "y": 1}]', "holds JSON, not a table; save it as CSV"),
    ('{"a": 1, "y": 0}\n{"a": 2, "y": 1}\n', "holds JSON"),
    ("@RELATION iris\n@ATTRIBUTE a NUMERIC\n@DATA\n1\n", "an ARFF file of Weka; replace all lines")])
def test_text_before_the_table_is_an_error(text, words):
    with pytest.raises(ValueError, match=f"'f.csv' .*{words}"):
        read(text)


def zipped(name):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(name, "<workbook/>")
    return file.getvalue()


@pytest.mark.parametrize(("data", "words"), [
    (b"\x89PNG\r\n\x1a\n" + bytes(99), "is not a text file: it is a PNG picture"),
    (b"%PDF-1.7\n1 0 obj\n", "a PDF document"),
    (zipped("xl/workbook.xml"), "it is an Excel workbook; save its sheet as CSV .*File, Save As, CSV UTF-8"),
    (zipped("word/document.xml"), "a ZIP archive; unpack it"), (b"\x1f\x8b\x08\x00\x00", "compressed with gzip; unpack"),
    (b"<!DOCTYPE html><html>", "a web page"), (b"SQLite format 3\x00", "--sql"),
    (b"a,b\n1,\x00\x002\n" * 9, "it contains binary data")])
def test_a_file_that_is_not_text_is_named_by_its_format(tmp_path, data, words):
    path = tmp_path / "photo.csv"
    path.write_bytes(data)
    for call in (lambda: DataStream(path), lambda: DataStream(("photo.csv", data)), lambda: peek(("photo.csv", path)),
                 lambda: read_table(path)):
        with pytest.raises(ValueError, match=f"photo.csv' .*{words}"):
            call()


@pytest.mark.parametrize(("header", "response"), [
    ("y,a,b", "y"), ("a,Label,b", "Label"), ("class,a,target", "target"), ("a,y,class", "class"), ("outcome,y,b", "y"),
    (" response ,a,b", "response"), ("a,b,bought", "bought"), ("yes,a,b", "b")])
def test_a_response_is_guessed_by_its_name_with_a_note(tmp_path, header, response):
    text = header + "\n1,0,1\n0,1,0\n"
    stream, _, _ = read(text)
    why = "because of its name" if response in header and response not in ("bought", "b") else "the last column"
    assert stream.choice.response == response and any(why in words for words in stream.report().words())
    (tmp_path / "f.csv").write_text(text)
    assert read_table(tmp_path / "f.csv").label == response
    assert not any("as the response" in words for words in read(text, response=response)[0].report().words())


def test_a_response_is_no_feature():
    for header, features, response in (("label,x,z", ["label", "x"], "z"), ("label,y,z", ["y"], "label")):
        assert read(header + "\n1,0,1\n0,1,0\n", features=features)[0].choice.response == response


NO_NAMES = "no header was detected: the columns are named c1, c2, c3"
DOUBTFUL = "the first row was read as header: "


@pytest.mark.parametrize(("text", "note"), [
    ("0.5,-1.5,g\n1.5,2,h\n2,3,g\n", NO_NAMES), ("M,3,0.25\nF,4,0.5\n", NO_NAMES), ("5,3,a\n4,2,b\n5,1,a\n", NO_NAMES),
    ("3,4,5\n1,2,0\n2,2,1\n", NO_NAMES), ("a,b,y\n1,2,0\n3,4,1\n", ""), ("a,b,y\n1,x,0\n2,z,1\n", ""),
    ("place,2019,2020\nA,1.5,2\nB,2,3\n", DOUBTFUL + "place, 2019, 2020"),
    ("0.1,0.9,y\n1,2,0\n3,4,1\n", DOUBTFUL + "0.1, 0.9, y"),
    ("a,2019,2020,y\nk,1.5,2,0\nl,2,3,1\n", DOUBTFUL + "a, 2019, 2020, …"),
    ("k,l,yes\nm,n,no\no,p,yes\n", DOUBTFUL + "k, l, yes")])
def test_header_detection_and_its_notes(text, note):
    reader = CsvReader(io.BytesIO(text.encode()))
    named = note != NO_NAMES
    assert "".join(reader.notes) == note and (reader.names[0] != "c1") is named
    assert CsvReader(io.BytesIO(text.encode()), header=named).notes == ()


THREE = "size,kind\n" + "".join(f"{i},{('red', 'green', 'blue')[i % 3]}\n" for i in range(9))


def test_one_class_against_the_others():
    with pytest.raises(ValueError, match="three values or more .blue, green, red, …., logistic .* pass positive='blue'"):
        read(THREE)
    stream, _, labels = read(THREE, positive="red")
    assert labels.tolist() == [1, 0, 0] * 3 and stream.classes == ("not red", "red")
    notes = [read(THREE, positive=value)[0].report().notes for value in ("Red", "red")]
    assert notes == [("no row has the positive value 'Red' in column 'kind': all are 0",), ()]
    assert read("a,y\n1,1\n2,2\n3,\n4,3\n", positive=2)[2].tolist() == [0, 1, 0]
    assert read("a;y\n1,5;1,5\n2;2,5\n4;3\n", positive="2,5")[2].tolist() == [0, 1, 0]
    for more in ({"model": "linear"}, {"classes": ("red", "blue")}):
        with pytest.raises(ValueError, match="positive must be left out"):
            read(THREE, positive="red", **more)


def test_categories_become_columns_of_zero_and_one():
    text = "colour,a,y\n" + "red,1,0\ngreen,2,1\nred,3,0\n,4,1\nblue,5,1\n"
    stream, features, _ = read(text, categories=["colour"])
    assert stream.names == ("colour=blue", "colour=green", "a") and stream.columns == ("colour", "colour", "a")
    assert features.tolist() == [[0, 0, 1], [0, 1, 2], [0, 0, 3], [1, 0, 5]]
    report = stream.report()
    assert report.categories == {"colour": ("red", "blue", "green")} and report.features == ("colour", "a")
    assert "1 row left out, missing or NaN in column 'colour': row 4 of f.csv" in report.dropped
    assert any("each for blue, green; all are 0 for the reference, red" in words for words in report.words())
    later, features, _ = read("a,colour,y\n1,green,0\n2,pink,1\n3,red,1\n", features=["colour", "a"],
                              categories={"colour": ["red", "blue", "green"]})
    assert features.tolist() == [[0, 1, 1], [0, 0, 3]] and later.names == stream.names
    assert later.report().dropped == ("1 row left out, unknown level in column 'colour': row 2 of f.csv",)
    assert read(text, features=["a"], categories="colour")[0].names == ("a", "colour=blue", "colour=green")
    numbers = read("region,a,y\n1,1,0\n2.0,2,1\n1,3,0\n", categories=["region"])[0]
    assert numbers.names == ("region=2", "a")


def test_equal_numbers_are_one_level_and_codes_are_not():
    text = "size,a,y\n2,1,0\n2.0,2,1\n1e1,3,0\n10,1,0\n,2,1\n+2.,3,1\n"
    stream, features, _ = read(text, categories=["size"])
    assert stream.categories == {"size": ("2", "10")} and features[:, 0].tolist() == [0, 0, 1, 1, 0]
    assert "missing or NaN in column 'size'" in stream.report().dropped[0] and len(stream.report().dropped) == 1
    assert peek(("f.csv", text.encode())).words == {}
    levels, features, _ = read(text, categories={"size": ["10.0", "2.00"]})
    assert levels.names == ("size=2.00", "a") and features[:, 0].tolist() == [1, 1, 0, 0, 1]
    with pytest.raises(ValueError, match="must be distinct and not empty, got '2', '2.0'"):
        read(text, categories={"size": ["2", "2.0"]})
    codes = read("plz,a,y\n01,1,0\n1,2,1\n01,3,1\n1_0,1,1\n", categories=["plz"])[0]
    assert codes.categories == {"plz": ("01", "1", "1_0")}
    huge = "c,a,y\n9007199254740993,1,0\n9007199254740992,2,1\n-0,3,0\n0.0,1,1\n1e-300,2,0\n0,2,0\n"
    assert read(huge, categories=["c"])[0].categories["c"] == ("0", "1E-300", "9007199254740992", "9007199254740993")


def rows_letter_by_letter(data):
    """Return the result of `text_file.end_of_rows` for a comma, letter by letter."""
    end, start, at, begins = 0, -1, 0, True
    while at < len(data):
        if begins and data[at] == '"':
            start, at = at, at + 1
            while data[at:at + 1] not in ('"', "") or data[at:at + 2] == '""':
                at += 2 if data[at] == '"' else 1
            if at == len(data):
                return end, start
            start = -1
        end = at + 1 if data[at] == "\n" else end
        begins, at = data[at] in ",\n", at + 1
    return end, start


def test_rows_end_at_line_breaks_outside_quoted_cells():
    draw = random.Random(0)
    for _ in range(2000):
        data = "".join(draw.choices(['"', ",", "\n", "a", '""', ',"', '",', '\n"', '"\n', ";"], k=draw.randrange(14)))
        assert text_file.end_of_rows(data.encode(), ",") == rows_letter_by_letter(data), data


@pytest.mark.parametrize(("categories", "words"), [
    (["size"], "2 to 20 levels, got more than 20 .0, 1, 10, 11, …."), ({"word": ["x"]}, "got 1 .x."),
    ({"word": ["x", "x"]}, "must be distinct and not empty"), (["nothing"], "no column 'nothing'"),
    (["y"], "without the response 'y'")])
def test_invalid_categories_are_rejected(categories, words):
    text = "size,word,y\n" + "".join(f"{i},w,{i % 2}\n" for i in range(40))
    with pytest.raises(ValueError, match=words):
        read(text, features=["size"], categories=categories)
    with pytest.raises(ValueError, match="categories must be features, got 'nothing'"):
        read(text, categories=["nothing"])


def test_levels_are_those_of_the_first_thousand_rows(tmp_path):
    words = ["a"] * 600 + ["b"] * 400 + ["c"] * 700
    rows = [{"c": word, "x": i, "y": i % 2} for i, word in enumerate(words)]
    text = "c,x,y\n" + "".join(f"{row['c']},{row['x']},{row['y']}\n" for row in rows)
    for source in (rows, ("f.csv", text.encode())):
        assert DataStream(source, categories=["c"], model="logistic").categories == {"c": ("a", "b")}
    parquet.write_table(pa.table({"c": [1.0, 2.0, 1.0], "y": [0, 1, 0]}), tmp_path / "f.parquet")
    assert DataStream(tmp_path / "f.parquet", categories=["c"]).categories == {"c": ("1", "2")}


def test_a_quotation_mark_after_another_separator_starts_no_cell():
    text = "note\tx\ty\n" + "".join(f"plain, text\t{i}\t{i % 2}\n" for i in range(4)) + 'he said,"hi 7\t4\t0\n"a\nb"\t5\t1\n'
    assert read(text)[1].tolist() == [[i] for i in range(6)]


def test_a_decompression_bomb_is_rejected(tmp_path, monkeypatch):
    path, rows = tmp_path / "bomb.parquet", 16_384
    for letter in ("x", b"x"):
        text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([letter * 200_000]))
        parquet.write_table(pa.table({"a": text, "x": [1.0] * rows, "y": [0, 1] * (rows // 2)}), path,
                            compression="zstd", store_schema=False)
        assert path.stat().st_size < 5_000
        stream, features, _ = read(path.read_bytes(), "bomb.parquet")
        assert stream.names == ("x",) and len(features) == rows  # the 3.3 GB of text in column a are not decoded
        assert len(peek(("bomb.parquet", path)).rows[0][0]) == 1_000
    words = pa.array(["red", "blue", None, "red"] * 4)
    parquet.write_table(pa.table({"c": words, "x": range(16), "y": [0, 1] * 8}), path)
    assert read(path.read_bytes(), "f.parquet", categories=["c"])[0].categories == {"c": ("red", "blue")}
    assert peek(path).rows[2][0] == "" and peek(path).words == {"c": ("red", "blue")}
    monkeypatch.setattr("sampler.streams.columnar_files.MOST_UNPACKED", 100_000)
    parquet.write_table(pa.table({"x": np.zeros(100_000), "y": np.zeros(100_000)}), path, compression="zstd",
                        use_dictionary=False)
    with pytest.raises(ValueError, match="unpacks to 1,600,.* bytes in 100,000 rows; write it again"):
        DataStream(path)
    with pytest.raises(ValueError, match="'a.arrow' is an Arrow file, which can only be read from its path"):
        check_upload("a.arrow", b"ARROW1")


def test_class_labels_in_any_case_and_unknown_as_missing():
    """The last line without a line break is a separate chunk."""
    stream, _, labels = read(b"0,5,0\n1,6,yes")
    assert stream.classes == ("0", "yes") and labels.tolist() == [0, 1]
    stream, _, labels = read(b"a,bought\n0,Yes\n1,no\n2,Yes\n")
    assert stream.classes == ("no", "Yes") and labels.tolist() == [1, 0, 1]
    stream, features, labels = read("a,y\n1,yes\n2,Unknown\n3,no\n4,yes\n")
    assert stream.classes == ("no", "yes") and features[:, 0].tolist() == [1, 3, 4] and labels.tolist() == [1, 0, 1]
    assert "1 row left out, missing or NaN in column 'y': row 2 of f.csv" in stream.report().dropped
    assert read("a,y\n1,known\n2,unknown\n")[0].classes == ("known", "unknown")


def test_an_error_has_attributes_and_can_be_pickled():
    with pytest.raises(SourceError) as caught:
        read(THREE)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.argument, error.remedy) == ("response", "classes") and str(error) == str(caught.value)
    assert str(error) == f"response: {error.problem}; {error.advice}" and error.words("choose") == f"{error.problem}; choose"
