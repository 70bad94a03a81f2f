"""A user's file: storage by content, preview, options, bad files, rows."""

import errno
import hashlib
import re
import threading

import numpy as np
import pytest

from app.state.tune import TuneConfig
from app.state.user_data import UserData
from app.tune import file_choice, kept_files
from app.tune.file_choice import FileChoice
from app.tune.file_plan import preview
from app.tune.tuning_rows import load
from sampler import DataStream, GradientOracle, LogisticRegression, Tuned
from sampler.streams import LARGEST_UPLOAD
from tests.waiting import wait_for


def keep_text(name, data):
    kept = f"0123456789abcdef0123-{name}"
    (kept_files.folder("uploads") / kept).write_bytes(data)
    return kept


def look_at(kept, **choices):
    return preview(TuneConfig(data=f"file-{kept}", **choices))


@pytest.fixture
def slow_choice():
    """Return a `FileChoice` that stores the options passed to `bring` in `taken`."""
    taken = []
    choice = FileChoice(lambda **source: taken.append(source))
    choice.taken = taken
    yield choice
    choice.worker.close()
    choice.picker.close()


@pytest.fixture
def choice(slow_choice):
    """Return a `FileChoice` that waits for each job and displays its result."""
    worker, start = slow_choice.worker, slow_choice.worker.start
    worker.start = lambda job: (start(job), wait_for(lambda: worker.settled, look=worker.look))
    return slow_choice


def test_no_guess_opens_an_upload_even_from_its_content(csv_file, keep, monkeypatch, tmp_path):
    path = csv_file()
    kept = keep(path)
    plain = hashlib.sha256(path.read_bytes()).hexdigest()
    assert not any(plain[:n] in kept for n in (8, 20, 32)) and len(kept.partition("-")[0]) == 32
    guesses = (f"{plain[:20]}-clicks.csv", f"{plain[:32]}-clicks.csv", "clicks.csv", kept[1:], kept.upper(), f"{kept}x", "*")
    for guess in guesses:
        assert kept_files.upload_path(guess) is None and "no longer stored here" in look_at(guess).error
        with pytest.raises(ValueError, match="no longer stored here"):
            load(TuneConfig(data=f"file-{guess}"))
    monkeypatch.setenv(kept_files.FOLDER, str(tmp_path / "another server"))
    assert keep(path) != kept and kept_files.upload_path(kept) is None
    key = kept_files.folder("keys") / "uploads"
    assert key.stat().st_mode & 0o077 == 0 and len(key.read_bytes()) == 32


def test_the_first_look_describes_the_file(csv_file, keep):
    look = look_at(keep(csv_file()))
    assert look.columns == ("x1", "x2", "answer") and len(look.rows) == 5 and look.error == ""
    assert look.config == TuneConfig(data=look.config.data, kind="logistic", response="answer", features=("x1", "x2"),
                                     scale=True)
    notes = " | ".join(look.words)
    assert "119 of 120 rows used" in notes and "1 row left out, missing or NaN in column 'x2': row 4" in notes
    assert "'no' is 0, 'yes' is 1" in notes and "standardised as the rows arrive, because one column" in notes


@pytest.mark.parametrize(("text", "words"), [("", "holds no rows"), ("a,y\n1,0\n2,1\n", "2 usable rows; 16 or")])
def test_the_error_of_a_bad_file_has_its_uploaded_name(tmp_path, text, words):
    look = look_at(keep_text("mine.csv", text.encode()))
    assert re.search(words, look.error) and "0123456789" not in look.error and str(tmp_path) not in look.error


def test_options_are_previewed_immediately_and_used_only_if_valid(choice, csv_file, keep):
    dialog = choice.dialog
    choice.open(TuneConfig(data=f"file-{keep(csv_file())}"))
    dialog.on_choose("response", "x1")
    assert dialog.kind == "linear" and dialog.features == ["x2"]  # the other column is text
    dialog.on_choose("kind", "logistic")
    assert "two values for logistic regression" in dialog.error
    dialog.on_use()
    assert choice.taken == []
    dialog.on_choose("response", "answer")
    dialog.on_choose("features", ["x1"])
    dialog.on_choose("scale", False)
    dialog.on_use()
    config = TuneConfig(**choice.taken[0])
    assert config.replace(data="") == TuneConfig(data="", kind="logistic", response="answer", features=("x1",), scale=False)
    assert not dialog.open
    loaded = load(config)
    assert loaded.features.shape == (120, 2) and loaded.names == ("x1", "intercept")
    assert set(loaded.labels) == {0.0, 1.0} and loaded.reading["classes"] == ["no", "yes"]
    assert loaded.user_data.t == 120 and loaded.user_data.label == "clicks.csv, 120 rows"


def test_an_upload_opens_the_dialog_and_one_too_large_is_refused(choice, csv_file):
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


def test_counts_numbers_and_a_constant_column():
    rng = np.random.default_rng(0)
    for name, labels in (("counts", rng.poisson(3.0, 60)), ("numbers", rng.normal(size=60))):
        kept = f"0123456789abcdef0123-{name}.csv"
        rows = np.column_stack([rng.normal(size=60), np.ones(60), np.zeros(60), labels])
        np.savetxt(kept_files.folder("uploads") / kept, rows, delimiter=",")
        look = look_at(kept)
        assert look.config.kind == {"counts": "poisson", "numbers": "linear"}[name] and not look.config.scale
        assert look.config.features == ("c1", "c3")
        assert any("constant like the intercept: 'c2'" in w for w in look.words)
        assert any("all zero in the rows read: 'c3'" in w for w in look.words)
        assert load(TuneConfig(data=f"file-{kept}")).problem.dim == 3


def test_missing_or_unsuitable_data_are_an_error():
    for config, user_data, words in ((TuneConfig(data="file-gone.csv"), None, "no longer stored here"),
                                 (TuneConfig(data="given"), None, "no longer available: pass it again"),
                                 (TuneConfig(data="linear2", kind="logistic"), None, "two values"),
                                 (TuneConfig(data="linear2", kind="poisson"), None, "counts 0, 1, 2")):
        with pytest.raises(ValueError, match=words):
            load(config, user_data)


def test_a_python_problem_is_loaded_unchanged():
    rng = np.random.default_rng(0)
    rows = UserData("mine", LogisticRegression(2, prior_precision=2.0), rng.normal(size=(40, 2)), np.ones(40))
    loaded = load(TuneConfig(data="given"), rows)
    assert loaded.length == 40 and loaded.model["prior_precision"] == [2.0, 2.0] or loaded.model["prior_precision"] == 2.0
    own = UserData("own", GradientOracle(lambda i, x: np.tile(x, (len(i), 1)), 2, lambda x: x), length=50)
    loaded = load(TuneConfig(data="given"), own)
    assert loaded.kind == "oracle" and loaded.first(20) == (None, None) and loaded.model is None


def test_text_columns_are_offered_as_columns_of_zero_and_one_and_replay_encodes_them_equally(choice, tmp_path):
    rng = np.random.default_rng(1)
    lines = [f"{rng.normal():.3f};{('rot', 'grün', 'blau')[i % 3]};n{i};{i % 2}" for i in range(90)]
    data = ("größe;farbe;name;y\n" + "\n".join(lines).replace(".", ",") + "\n1,5;;x;1\n").encode("latin-1")
    choice.open(TuneConfig(data=f"file-{keep_text('mine.csv', data)}"))
    dialog = choice.dialog
    text = " | ".join(dialog.says)
    assert dialog.features == ["größe"] and dialog.levels == {"farbe": 3, "name": 0} and dialog.error == ""
    assert "column 'farbe' left out: text; press it above and its 3 values become columns of 0 and 1" in text
    assert "column 'name' left out: text of more than 20 different values" in text
    assert "'y' is used as the response because of its name" in text
    assert "read as Latin-1" in text and "read with decimal commas" in text and "text, not numbers" not in text
    dialog.on_choose("features", ["größe", "farbe"])
    text = " | ".join(dialog.says)
    assert "each for grün, rot; all are 0 for the reference, blau" in text
    assert "1 row left out, missing or NaN in column 'farbe': row 91 of mine.csv" in text
    dialog.on_use()
    loaded = load(TuneConfig(**choice.taken[0]))
    assert loaded.names == ("größe", "farbe=grün", "farbe=rot", "intercept")
    assert loaded.reading["categories"] == {"farbe": ["blau", "grün", "rot"]} and loaded.reading["decimal"] == ","
    Tuned(loaded.settings, loaded.model, reading=loaded.reading, data=loaded.data).save(tmp_path / "tuned.toml")
    tuned = Tuned.load(tmp_path / "tuned.toml")
    (tmp_path / "data.csv").write_bytes(data)
    again = DataStream(tmp_path / "data.csv", model=tuned.model["kind"], **tuned.reading)
    features = np.concatenate([x for x, _ in again])
    np.testing.assert_array_equal(features, loaded.features)
    assert again.fingerprint == loaded.data["fingerprint"] and "'farbe': ['blau', 'grün', 'rot']" in tuned.snippet()


def test_one_of_three_classes_is_coded_as_one(choice):
    rng = np.random.default_rng(1)
    rows = "".join(f"{rng.normal():.3f},{('setosa', 'virginica', 'versicolor')[i % 3]}\n" for i in range(60))
    dialog = choice.dialog
    choice.open(TuneConfig(data="file-" + keep_text("iris.csv", ("petal,class\n" + rows).encode())))
    assert dialog.classes == [["", "choose …"], *([name, f"{name}, all others 0"] for name in (
        "setosa", "versicolor", "virginica"))] and dialog.positive == ""
    assert "needs two; choose which one means 1, against all others" in dialog.error and "--" not in dialog.error
    dialog.on_choose("positive", "virginica")
    assert dialog.error == "" and dialog.kind == "logistic" and dialog.positive == "virginica"
    assert "'not virginica' is 0, 'virginica' is 1" in " | ".join(dialog.says)
    dialog.on_use()
    loaded = load(TuneConfig(**choice.taken[0]))
    assert loaded.labels.sum() == 20 and loaded.reading["positive"] == "virginica" and "classes" not in loaded.reading
    dialog.on_choose("kind", "linear")
    assert dialog.positive == "" and "0 usable rows" in dialog.error
    numbers = keep_text("grades.csv", b"a,grade\n" + b"".join(b"%d.5,%d\n" % (i * i % 7, i % 4) for i in range(40)))
    assert look_at(numbers).config.kind == "poisson" and look_at(numbers).classes == ()
    named = keep_text("class.csv", b"a,class\n" + b"".join(b"%d.5,%d\n" % (i * i % 7, i % 3) for i in range(40)))
    assert "'class' is treated as counts; if its values are classes, choose logistic above" in look_at(named).words[-1]
    assert not any("counts" in words for words in look_at(numbers).words)
    assert look_at(numbers, kind="logistic").classes == ("0", "1", "2", "3")
    look = look_at(numbers, kind="logistic", positive="3")
    assert look.error == "" and "'not 3' is 0, '3' is 1" in " | ".join(look.words)


def test_either_of_two_classes_can_be_coded_as_one(choice):
    rows = b"".join(b"%d.5,%s\n" % (i * i % 7, (b"ill", b"Healthy")[i % 3 > 0]) for i in range(60))
    choice.open(TuneConfig(data="file-" + keep_text("two.csv", b"a,state\n" + rows)))
    dialog = choice.dialog
    assert dialog.classes == [["", "ill, Healthy is 0"], ["Healthy", "Healthy, ill is 0"]] and dialog.positive == ""
    assert "'Healthy' is 0, 'ill' is 1" in " | ".join(dialog.says) and dialog.error == ""
    dialog.on_choose("positive", "Healthy")
    dialog.on_use()
    assert load(TuneConfig(**choice.taken[0])).labels.sum() == 40
    choice.open(choice.config.replace(kind="", response=None, positive="ill"))
    assert dialog.classes[0] == ["ill", "ill, Healthy is 0"] and dialog.positive == "ill"


def test_a_preview_of_part_of_a_file_is_noted_and_each_reason_is_reported_once():
    long = b"a,y\n" + b"".join(b"%d.25,%d\n" % (i % 97, i % 2) for i in range(200_000))
    words_of_long = look_at(keep_text("long.csv", long)).words
    assert re.match(r"first \d{3},\d{3} rows read, all of them usable", words_of_long[0])
    few = look_at(keep_text("few.csv", b"a,y\n" + b",1\n" * 7 + b"2,0\n3,1\n"))
    reason = "7 rows left out, missing or NaN in column 'a': row 1, row 2, row 3, row 4, row 5 of few.csv, …"
    assert reason in few.error and not any("left out" in words for words in few.words)


def test_a_full_disk_is_reported_and_no_partial_file_is_left(choice, csv_file, monkeypatch):
    def full(source, target):
        with open(target, "w") as file:
            file.write("part")
        raise OSError(errno.ENOSPC, "No space left on device", target)

    monkeypatch.setattr("shutil.copyfile", full)
    choice.take(csv_file())
    assert "clicks.csv could not be kept on the server (the disk is full: make room)" in choice.picker.error
    assert not choice.dialog.open and not list(kept_files.folder("uploads").iterdir())


def test_a_preview_does_not_block_other_pages_and_the_latest_options_are_used(
        slow_choice, csv_file, keep, monkeypatch):
    """The server thread starts the preview and receives its result without waiting in between."""
    gate, real, choice = threading.Event(), file_choice.preview, slow_choice
    monkeypatch.setattr(file_choice, "preview", lambda *user_data: (gate.wait(60), real(*user_data))[1])
    choice.open(TuneConfig(data=f"file-{keep(csv_file())}"))
    choice.choose("features", ["x1"])  # both return immediately
    choice.use()
    choice.worker.look()
    assert not choice.dialog.open and choice.taken == []
    gate.set()
    wait_for(lambda: choice.taken, look=choice.worker.look)
    assert choice.taken[0]["features"] == ("x1",) and not choice.dialog.open
