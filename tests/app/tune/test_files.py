"""A file of the user's: kept by its content, previewed, its choices, bad files, rows."""

import re

import numpy as np
import pytest

from app.state.tune import TuneConfig
from app.tune import kept_files
from app.tune.file_choice import FileChoice
from app.tune.file_options import FileOptions
from app.tune.file_preview import preview
from app.tune.tuning_rows import load
from app.user_data import Given
from sampler import GradientOracle, LogisticRegression
from sampler.streams import LARGEST_UPLOAD


def test_a_file_is_kept_by_its_content(csv_file, keep):
    path = csv_file()
    kept = keep(path)
    assert kept.endswith("-clicks.csv") and kept_files.upload_path(kept).read_bytes() == path.read_bytes()
    assert keep(path) == kept and kept_files.plain_name(kept) == "clicks.csv"
    assert [p.name for p in kept_files.folder("uploads").iterdir()] == [kept]
    assert keep(path, "pass wd.csv").endswith("-pass_wd.csv")


@pytest.mark.parametrize("name", ["../clicks.csv", "/etc/passwd", "", "..", "nothing.csv"])
def test_nothing_outside_the_folder_is_ever_named(name):
    assert kept_files.upload_path(name) is None


def test_the_first_look_says_what_was_found(csv_file, keep):
    found = preview(keep(csv_file()))
    assert found.columns == ("x1", "x2", "answer") and len(found.rows) == 5 and found.error == ""
    assert found.options == FileOptions("logistic", "answer", ("x1", "x2"), True, True)
    said = " | ".join(found.words)
    assert "119 of 120 rows used" in said and "1 row left out, missing or NaN in column 'x2': row 4" in said
    assert "'no' is 0, 'yes' is 1" in said and "standardised as the rows arrive, because one column" in said


def test_a_libsvm_file_is_looked_at_like_any(tmp_path, keep):
    rng, path = np.random.default_rng(2), tmp_path / "sparse.libsvm"
    path.write_text("".join(f"{rng.integers(1, 3)} 1:{rng.normal():.4f} 4:1\n" for _ in range(60)) + "1 2:1 3:x\n")
    found = preview(keep(path))
    assert found.columns == ("x1", "x2", "x3", "x4", "label") and found.error == "" and len(found.rows) == 5
    assert found.options.kind == "logistic" and found.options.response == "label" and found.options.features[0] == "x1"
    said = " | ".join(found.words)
    assert "60 of 61 rows used" in said and "expected index:value, got '3:x'" in said and "1.0 is 0, 2.0 is 1" in said


BAD = {
    "empty": ("", "holds no rows"), "header only": ("a,b\n", "no rows"), "one column": ("a\n1\n2\n", "one column"),
    "text": ("a,y\nred,0\nblue,1\n", "hold text"), "three words": ("a,y\n1,r\n2,g\n3,b\n", "text of three values"),
    "one class": ("a,y\n" + "1,4\n2,4\n" * 20, "only the value 4.0"), "few": ("a,y\n1,0\n2,1\n", "2 usable rows; 16 or"),
    "twice": ("a,a,y\n1,2,0\n3,4,1\n", "two columns named 'a'"), "one row": ("1,2\n", "the only row there is"),
}


@pytest.mark.parametrize(("text", "words"), BAD.values(), ids=BAD)
def test_a_bad_file_is_said_by_the_name_the_user_knows(tmp_path, text, words):
    kept = "0123456789abcdef0123-mine.csv"
    (kept_files.folder("uploads") / kept).write_text(text)
    found = preview(kept)
    assert re.search(words, found.error) and "0123456789" not in found.error and str(tmp_path) not in found.error


def test_choices_are_tried_at_once_and_used_only_when_they_work(csv_file, keep):
    taken = []
    choice = FileChoice(lambda **source: taken.append(source))
    dialog = choice.dialog
    choice.open(keep(csv_file()))
    dialog.on_choose("response", "x1")
    assert dialog.kind == "linear" and dialog.features == ["x2"]  # the answers are words
    dialog.on_choose("kind", "logistic")
    assert "two values for logistic regression" in dialog.error
    dialog.on_use()
    assert taken == []
    dialog.on_choose("response", "answer")
    dialog.on_choose("features", ["x1"])
    dialog.on_choose("scale", False)
    dialog.on_use()
    config = TuneConfig(**taken[0])
    assert FileOptions.of(config) == FileOptions("logistic", "answer", ("x1",), True, False) and not dialog.open
    loaded = load(config)
    assert loaded.features.shape == (120, 2) and loaded.names == ("x1", "intercept")
    assert set(loaded.labels) == {0.0, 1.0} and loaded.reading["classes"] == ["no", "yes"]
    assert loaded.given.t == 120 and loaded.given.label == "clicks.csv, 120 rows"


def test_an_upload_opens_the_dialog_and_one_too_large_is_told_to_use_its_path(csv_file):
    choice = FileChoice(lambda **source: None)
    picker, data = choice.picker, csv_file().read_bytes()
    picker._send_msg = lambda message: None
    picker.on_begin(1, "clicks.csv", len(data))
    picker.on_piece(1, 0, data[:999])
    assert 0 < picker.fraction < 1 and not choice.dialog.open
    picker.on_piece(1, 999, data[999:])
    assert choice.dialog.open and choice.dialog.name_ == "clicks.csv" and picker.fraction is None
    picker.on_begin(2, "huge.parquet", 3 * 10**9)
    assert "huge.parquet has 3,000 MB; here a file may have 200 MB." in picker.error and LARGEST_UPLOAD == 200_000_000
    assert "python -m sampler tune /path/to/huge.parquet" in picker.error
    choice.close()


def test_counts_numbers_and_an_intercept_of_ones_own(tmp_path):
    rng = np.random.default_rng(0)
    for name, labels in (("counts", rng.poisson(3.0, 60)), ("numbers", rng.normal(size=60))):
        kept = f"0123456789abcdef0123-{name}.csv"
        rows = np.column_stack([rng.normal(size=60), np.ones(60), np.zeros(60), labels])
        np.savetxt(kept_files.folder("uploads") / kept, rows, delimiter=",")
        found = preview(kept)
        assert found.options.kind == {"counts": "poisson", "numbers": "linear"}[name] and not found.options.scale
        assert found.options.features == ("c1", "c3")
        assert any("the intercept says it already: 'c2'" in w for w in found.words)
        assert any("all zero in the rows looked at: 'c3'" in w for w in found.words)
        assert load(TuneConfig(data=f"file-{kept}")).problem.dim == 3


def test_data_that_are_gone_or_do_not_fit_are_said():
    for config, given, words in ((TuneConfig(data="file-gone.csv"), None, "not kept here any more"),
                                 (TuneConfig(data="given"), None, "is gone: give it again"),
                                 (TuneConfig(data="linear2", kind="logistic"), None, "two values"),
                                 (TuneConfig(data="linear2", kind="poisson"), None, "counts 0, 1, 2")):
        with pytest.raises(ValueError, match=words):
            load(config, given)


def test_a_given_problem_is_taken_as_it_is():
    rng = np.random.default_rng(0)
    rows = Given("mine", LogisticRegression(2, prior_precision=2.0), rng.normal(size=(40, 2)), np.ones(40))
    loaded = load(TuneConfig(data="given"), rows)
    assert loaded.length == 40 and loaded.model["prior_precision"] == [2.0, 2.0] or loaded.model["prior_precision"] == 2.0
    own = Given("own", GradientOracle(lambda i, x: np.tile(x, (len(i), 1)), 2, lambda x: x), length=50)
    loaded = load(TuneConfig(data="given"), own)
    assert loaded.kind == "oracle" and loaded.first(20) == (None, None) and loaded.model is None
