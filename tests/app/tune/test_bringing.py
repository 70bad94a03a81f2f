"""A file on its way in: pieces, previews, choices, bad files, rows."""

import base64
import re

import numpy as np
import pytest

from app.tune import cache
from app.tune.bringing import Bringing
from app.tune.config import TuneConfig
from app.tune.data import load
from app.tune.preview import preview
from app.tune.reading import Reading
from app.tune.upload import Upload
from app.user_data import Given
from sampler import GradientOracle, LogisticRegression
from sampler.streams import LARGEST_UPLOAD


class Dialog:
    """Keeps what it is shown."""

    def __init__(self):
        self.shown, self.progress, self.open = None, None, False
        self.error, self.response, self.features, self.kind, self.intercept, self.scale = "", "", [], "", True, False

    def show(self, found):
        self.shown, self.open, self.error = found, True, found.error
        self.response, self.features, self.kind = found.response, list(found.features), found.kind
        self.intercept, self.scale = found.intercept, found.scale


def test_a_file_comes_in_pieces_and_is_kept_by_its_content(csv_file, keep):
    path = csv_file()
    kept = keep(path)
    assert kept.endswith("-clicks.csv") and cache.upload_path(kept).read_bytes() == path.read_bytes()
    assert keep(path) == kept and cache.plain_name(kept) == "clicks.csv"
    assert [p.name for p in cache.folder("uploads").iterdir()] == [kept]
    assert keep(path, "../../etc/pass wd.csv").endswith("-pass_wd.csv")


@pytest.mark.parametrize("name", ["../clicks.csv", "/etc/passwd", "", "..", "nothing.csv"])
def test_nothing_outside_the_folder_is_ever_named(name):
    assert cache.upload_path(name) is None


def test_a_file_that_cannot_be_taken_is_said_and_leaves_nothing(csv_file):
    with pytest.raises(ValueError, match=r"big.csv has 3.0 GB; a browser hands over 200 MB at most. Use its path"):
        Upload("big.csv", 3 * 10**9)
    assert LARGEST_UPLOAD == 200_000_000
    with pytest.raises(ValueError, match="is empty"):
        Upload("none.csv", 0)
    upload = Upload("a.csv", 4)
    with pytest.raises(ValueError, match="more came than was announced"):
        upload.add(base64.b64encode(b"a,b,c\n").decode())
    with pytest.raises(ValueError, match="could not be taken in"):
        Upload("a.csv", 4).add("###")
    short = Upload("a.csv", 40)
    short.add(base64.b64encode(b"a,b").decode())
    with pytest.raises(ValueError, match="came in part only"):
        short.finish()
    assert list(cache.folder("uploads").iterdir()) == []


def test_the_first_look_says_what_was_found(csv_file, keep):
    found = preview(keep(csv_file()))
    assert found.columns == ("x1", "x2", "answer") and len(found.rows) == 5 and found.error == ""
    assert (found.response, found.features, found.kind, found.scale) == ("answer", ("x1", "x2"), "logistic", True)
    said = " | ".join(found.words)
    assert "119 of 120 rows used" in said and "1 row left out, missing or NaN in column 'x2': row 4" in said
    assert "'no' is 0, 'yes' is 1" in said and "standardised as the rows arrive, because one column" in said


BAD = {
    "empty": ("", "holds no rows"), "header only": ("a,b\n", "no rows"), "one column": ("a\n1\n2\n", "one column"),
    "text": ("a,y\nred,0\nblue,1\n", "hold text"), "three words": ("a,y\n1,r\n2,g\n3,b\n", "text of three values"),
    "one class": ("a,y\n" + "1,4\n2,4\n" * 20, "only the value 4.0"), "few": ("a,y\n1,0\n2,1\n", "2 usable rows; 16 or"),
    "twice": ("a,a,y\n1,2,0\n3,4,1\n", "two columns named 'a'"), "one row": ("1,2\n", "the only row there is"),
}


@pytest.mark.parametrize(("text", "words"), BAD.values(), ids=BAD)
def test_a_bad_file_is_said_by_the_name_the_person_knows(tmp_path, text, words):
    kept = "0123456789abcdef0123-mine.csv"
    (cache.folder("uploads") / kept).write_text(text)
    found = preview(kept)
    assert re.search(words, found.error) and "0123456789" not in found.error and str(tmp_path) not in found.error


def test_choices_are_tried_at_once_and_used_only_when_they_work(csv_file, keep):
    taken = []
    bringing = Bringing(taken.append)
    bringing.dialog = dialog = Dialog()
    bringing.open(keep(csv_file()))
    bringing.choose("response", "x1")
    assert dialog.shown.kind == "linear" and dialog.shown.features == ("x2",)  # the answers are words
    bringing.choose("kind", "logistic")
    assert "two values for logistic regression" in dialog.error
    bringing.use()
    assert taken == []
    bringing.choose("response", "answer")
    bringing.choose("features", ["x1"])
    bringing.choose("scale", False)
    bringing.use()
    config = taken[0]
    assert config.reading == Reading("answer", ("x1",), True, False) and config.kind == "logistic" and not dialog.open
    loaded = load(config)
    assert loaded.features.shape == (120, 2) and loaded.names == ("x1", "intercept")
    assert set(loaded.labels) == {0.0, 1.0} and loaded.reading["classes"] == ["no", "yes"]
    assert loaded.given.t == 120 and loaded.given.label == "clicks.csv, 120 rows"


def test_an_upload_through_the_dialog_and_one_too_large(csv_file):
    bringing = Bringing(lambda config: None)
    bringing.dialog = dialog = Dialog()
    data = csv_file().read_bytes()
    assert bringing.begin("clicks.csv", len(data)) and dialog.progress == 0.0
    assert bringing.piece(base64.b64encode(data[:999]).decode(), False) and 0 < dialog.progress < 1
    assert bringing.piece(base64.b64encode(data[999:]).decode(), True) and dialog.shown.name == "clicks.csv"
    assert not bringing.begin("big.csv", LARGEST_UPLOAD + 1) and "Use its path" in dialog.error
    bringing.refuse("huge.parquet", 3 * 10**9)
    assert "python -m sampler tune /path/to/huge.parquet" in dialog.error
    assert not bringing.piece("AAAA", True)


def test_counts_numbers_and_an_intercept_of_ones_own(tmp_path):
    rng = np.random.default_rng(0)
    for name, labels in (("counts", rng.poisson(3.0, 60)), ("numbers", rng.normal(size=60))):
        kept = f"0123456789abcdef0123-{name}.csv"
        rows = np.column_stack([rng.normal(size=60), np.ones(60), np.zeros(60), labels])
        np.savetxt(cache.folder("uploads") / kept, rows, delimiter=",")
        found = preview(kept)
        assert found.kind == {"counts": "poisson", "numbers": "linear"}[name] and not found.scale
        assert found.features == ("c1", "c3") and any("the intercept says it already: 'c2'" in w for w in found.words)
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
