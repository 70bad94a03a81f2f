"""The document of the Live page stays light, whatever is added to it."""

from tests.benchmarks.document import build_live


def test_the_live_page_is_a_light_document():
    built = build_live()
    assert built.models <= 200
    assert built.kilobytes <= 150
