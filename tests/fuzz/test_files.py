"""Uploads: any bytes under any name are read, as finite numbers, or rejected with a message."""

import numpy as np
from hypothesis import strategies as st

from app.coreset.models import read
from app.state.tune import TuneConfig
from app.tune.file_plan import preview
from app.tune.kept_files import keep_upload
from sampler.streams import DataStream, SourceError, levels, peek, read_table
from tests.fuzz.files import by_kind, files
from tests.fuzz.nonsense import amounts, search


def result_or_message(call):
    """Return the result of a call, or the message of its ValueError."""
    try:
        return call()
    except ValueError as error:
        message = str(error)
        assert 10 < len(message) < 20_000 and message.encode(), message
        return message


def rows(source, **options):
    for features, labels in DataStream(source, **options):
        assert np.isfinite(features).all() and (labels is None or np.isfinite(labels).all())


@amounts(quick=12, slow=30_000)
def test_any_bytes_are_a_stream_and_a_table_or_rejected(examples, tmp_path):
    options = st.fixed_dictionaries({}, optional={"response": st.sampled_from(["y", "a", "none"]), "scale": st.booleans(),
                                                  "model": st.sampled_from(["linear", "logistic", "poisson"])})

    def check(drawn):
        (name, data), options = drawn
        result_or_message(lambda: peek((name, data)))
        result_or_message(lambda: rows((name, data), **options))
        (tmp_path / "upload.csv").write_bytes(data)
        table = result_or_message(lambda: read_table(tmp_path / "upload.csv"))
        assert isinstance(table, str) or np.isfinite(table.features).all() and np.isfinite(table.labels).all()

    search(examples, st.tuples(files, options), check)


@amounts(quick=30, slow=6_000)
def test_a_damaged_file_is_read_or_rejected(examples, tmp_path):
    def check(drawn):
        path = tmp_path / drawn[0]
        path.write_bytes(drawn[1])
        for call in (lambda: peek(path), lambda: levels(path, "word"),
                     lambda: rows(path, response="label" if path.suffix == ".libsvm" else "y", model="linear")):
            try:
                call()
            except ValueError as error:
                assert isinstance(error, SourceError) and 20 < len(str(error)) < 600, error
                assert str(error).startswith(("source", "response", "features", "model", "column", "line")), error

    search(examples, by_kind, check)


@amounts(quick=6, slow=8_000)
def test_the_pages_accept_or_reject_any_file(examples, tmp_path, monkeypatch):
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path / "cache"))
    models = st.sampled_from(["gaussian", "linear", "bradley_terry"])

    def check(drawn):
        (name, data), model = drawn
        path = tmp_path / name
        path.write_bytes(data)
        shown = preview(TuneConfig(data=f"file-{result_or_message(lambda: keep_upload(path))}"))
        assert isinstance(shown.error, str) and all(isinstance(sentence, str) for sentence in shown.words)
        result_or_message(lambda: read(name, data, model))

    search(examples, st.tuples(files, models), check)
