"""The user's file as each of the six models, and messages about invalid files."""


import numpy as np
import pytest

from app.coreset.models import SOURCES, columns_of, read
from app.coreset.run_set import CoresetRuns
from app.coreset.sidebar import FileChoice
from app.state.coreset import CoresetState
from tests.app.jobs.waiting import finish
from tests.waiting import wait_for

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 3)) * [1.0, 5.0, 0.2] + [0.0, 3.0, 1.0]


def table(*columns, names="a,b,c,y"):
    return (names + "\n" + "\n".join(",".join(f"{cell:g}" for cell in row) for row in np.column_stack(columns))).encode()


FILES_Y = RNG.poisson(5, 120)
FILES = {
    "gaussian": table(X, names="a,b,c"),
    "sparse": table(X, X @ [1, 0, 0] + 7),
    "linear": table(X, X @ [1, 2, 3] + RNG.standard_normal(120)),
    "logistic": table(X, X[:, 0] > 0),
    "poisson": table(X, FILES_Y),
    "bradley_terry": table(RNG.permuted(np.tile([3, 7, 9, 11], (120, 1)), axis=1)[:, :2], RNG.integers(0, 2, 120),
                           names="home,visitor,won"),
}


@pytest.mark.parametrize("key", list(SOURCES))
def test_a_file_becomes_each_model_and_runs(key):
    own = read("mine.csv", FILES[key], key)
    state = CoresetState()
    state.show_file(own.model_key, own.model.n, own.model.dim)
    config = state.frozen().replace(iterations=100, size=12, optimizers=("hot_dog",))
    assert state.base == state.frozen() and state.size == 24  # a fifth
    assert config.data == "file" and config.n == own.model.n == 120
    assert own.words[0] == "120 of 120 rows used"
    result = finish(CoresetRuns().run, config, own).value
    assert result.t == 100 and result.n == 120 and result.title == own.model.title


def test_a_libsvm_file_is_a_file():
    text = "\n".join(f"{int(row[0] > 0)} 1:{row[0]:.4f} 3:{row[2]:.4f}" for row in X)
    own = read("mine.libsvm", text.encode(), "logistic", standardise=False)
    assert own.words[0] == "120 of 120 rows used" and own.model.n == 120
    np.testing.assert_allclose(np.abs(own.model.rows[:, 1:3]), np.abs(X[:, [0, 2]]), atol=1e-4)  # x2 is always zero


def test_columns_are_standardised_if_the_model_or_the_user_requires_it():
    own = read("x.csv", FILES["gaussian"], "gaussian", standardise=False)
    np.testing.assert_allclose(own.model.rows[:, :3].std(axis=0), 1)
    scaled, raw = (read("x.csv", FILES["linear"], "linear", standardise=on) for on in (True, False))
    np.testing.assert_allclose(scaled.model.rows[:, 1:4].std(axis=0), 1)
    np.testing.assert_allclose(raw.model.rows[:, 1:4], X, rtol=1e-4, atol=1e-4)
    sparse = read("x.csv", FILES["sparse"], "sparse")
    assert abs(sparse.model.labels.mean()) < 1e-9


def test_another_column_may_be_the_response():
    own = read("x.csv", FILES["linear"], "linear", response="b")
    np.testing.assert_allclose(own.model.labels, X[:, 1], rtol=1e-4)
    assert columns_of(("x.csv", FILES["linear"]), "linear").responses == ("a", "b", "c", "y")
    assert columns_of(("x.csv", FILES["gaussian"]), "gaussian").responses == ()
    assert columns_of(("x.csv", b""), "linear").responses == ()


@pytest.mark.parametrize(("key", "data", "reason"), [
    ("gaussian", b"", "is empty"),
    ("gaussian", b"a,b\n", "no rows"),
    ("gaussian", b"a,b\n1,2\n", "fewer than two"),
    ("gaussian", b"a,b\n1,5\n1,5\n1,5\n", "no feature varies"),
    ("linear", b"\x00\x01\xff\xfe junk", "cannot be read"),
    ("logistic", table(X, RNG.integers(0, 5, 120)), "two classes"),
    ("logistic", b"colour,y\nred,0\nblue,1\nred,1\n", "hold text; choose one of a few words as columns of 0 and 1"),
    ("logistic", b"a,b,y\n1,,0\n,2,1\n3,,1\n", "fewer than two of its rows .* in every column; 2 rows left out, missing"),
    ("poisson", table(X, RNG.standard_normal(120)), "count"),
    ("linear", b"name,who\nann,bob\ncat,dan\n", "cannot be read"),
    ("bradley_terry", FILES["linear"], "not three"),
    ("linear", table(1e200 * X, X[:, 0]), "overflow when squared"),
    ("gaussian", (",".join(f"c{i}" for i in range(70)) + "\n" + "\n".join(
        ",".join(str((i * j) % 7) for i in range(1, 71)) for j in range(3))).encode(), "70 numeric columns"),
])
def test_an_invalid_file_raises_a_clear_error(key, data, reason):
    with pytest.raises(ValueError, match=reason) as wrong:
        read("broken.csv", data, key)
    assert "broken.csv" in str(wrong.value) and SOURCES[key].requires in str(wrong.value)
    assert "--" not in str(wrong.value) and "categories=" not in str(wrong.value)  # the library's arguments


def test_reading_can_be_stopped():
    with pytest.raises(ValueError, match="fewer than two of its rows"):
        read("x.csv", FILES["linear"], "linear", stopped=lambda: True)


def test_choices_of_columns_are_offered_even_if_a_file_is_not_yet_valid(tmp_path):
    """One of three classes, and text columns."""
    taken, path = [], tmp_path / "mine.csv"
    files = FileChoice(taken.append, model="logistic")
    menu, switches = files.chosen.class_menu, files.chosen.word_switches

    def settle():
        wait_for(lambda: files.worker.settled, look=files.worker.look)

    assert not menu.visible and not switches.visible
    path.write_text("a,colour,kind\n" + "".join(f"{i * 7 % 13},{'rg'[i % 2]},{'pqr'[i * 5 % 3]}\n" for i in range(60)))
    files.take(path)
    settle()
    assert "; choose which one means 1, against all others" in files.picker.error and taken == []
    assert menu.visible and list(menu.options) == ["choose …", *(f"{name}, all others 0" for name in "pqr")]
    assert switches.visible and [row[1] for row in switches.rows] == ["colour · 2 values"]
    menu.value = "q"
    settle()
    assert files.picker.error == "" and taken[-1].model.n == 60 and taken[-1].model.dim == 2
    assert "response 'kind': 'not q' is 0, 'q' is 1" in files.own.words
    switches.on_turn("colour", True)
    settle()
    assert taken[-1].model.dim == 3 and switches.active == ["colour"] and menu.value == "q"
    assert len(taken) == 2  # each choice is read once
    files._on_removal()
    assert not menu.visible and not switches.visible
    files.close()
    files.worker.close()
