"""Uploads: any bytes under any name are read, or refused in words; a file that is read holds finite numbers."""

import numpy as np
from hypothesis import strategies as st

from app.coreset.own_data import read
from app.tune.file_preview import preview
from app.tune.kept_files import keep_upload
from sampler.streams import DataStream, peek, read_table
from tests.fuzz.counting import amounts, search
from tests.fuzz.files import files


def words_of(call):
    """Return what was made, or the words of the ValueError that refused it."""
    try:
        return call()
    except ValueError as error:
        said = str(error)
        assert 10 < len(said) < 20_000 and said.encode(), said
        return said


def rows(name, data, **options):
    """Read a stream to its end."""
    for features, labels in DataStream((name, data), **options):
        assert np.isfinite(features).all() and (labels is None or np.isfinite(labels).all())


@amounts("files", quick=12, slow=30_000)
def test_any_bytes_are_a_stream_or_refused_in_words(examples, record_property):
    options = st.fixed_dictionaries({}, optional={"response": st.sampled_from(["y", "a", "none"]),
                                    "scale": st.booleans(),
                                                  "model": st.sampled_from(["linear", "logistic", "poisson"])})

    def check(drawn):
        (name, data), given = drawn
        words_of(lambda: peek((name, data)))
        words_of(lambda: rows(name, data, **given))
        return 2

    search(record_property, "files", examples, st.tuples(files, options), check)


@amounts("files", quick=6, slow=15_000)
def test_any_file_is_a_table_or_refused_in_words(examples, record_property, tmp_path):
    def check(drawn):
        name, data = drawn
        path = tmp_path / "upload.csv"
        path.write_bytes(data)
        found = words_of(lambda: read_table(path))
        assert isinstance(found, str) or np.isfinite(found.features).all() and np.isfinite(found.labels).all()

    search(record_property, "files", examples, files, check)


@amounts("files", quick=6, slow=8_000)
def test_the_pages_answer_any_file_in_words(examples, record_property, tmp_path, monkeypatch):
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path / "cache"))
    models = st.sampled_from(["gaussian", "linear", "bradley_terry"])

    def check(drawn):
        (name, data), model = drawn
        path = tmp_path / name
        path.write_bytes(data)
        shown = preview(words_of(lambda: keep_upload(path)))
        assert isinstance(shown.error, str) and all(isinstance(said, str) for said in shown.words)
        words_of(lambda: read(name, data, model, 1))
        return 2

    search(record_property, "files", examples, st.tuples(files, models), check)

