"""`pytest -p tests.turns --turn N`: run the Nth eighth of the tests marked ``in_turn``."""

import pytest

TURNS = 8


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--turn", type=int, required=True, metavar="N", help=f"part to run, N modulo {TURNS}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the other parts; neighbouring tests, often of similar duration, go to different parts."""
    marked = [item for item in items if item.get_closest_marker("in_turn")]
    out = {item for k, item in enumerate(marked) if (k - config.getoption("--turn")) % TURNS}
    config.hook.pytest_deselected(items=list(out))
    items[:] = [item for item in items if item not in out]
