"""The menus of problems and streams."""

from app.state.problem_menu import PROBLEMS, STREAMS, stream_labels


def test_each_kind_of_target_has_words_of_its_own_for_every_stream():
    for choice in PROBLEMS.values():
        labels = stream_labels(choice.problem.kind)
        assert list(labels.values()) == list(STREAMS), choice.key
    assert "Separable" in stream_labels("logistic") and "Separable" not in stream_labels("gaussian_mean")
