"""`pytest -p tests.turns --turn N`: of the tests marked ``in_turn`` an eighth, another for each N: all within eight runs."""

import pytest

TURNS = 8


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--turn", type=int, required=True, metavar="N", help=f"which part of {TURNS}, N modulo {TURNS}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the other parts: neighbours, which often take as long, stand in different ones."""
    marked = [item for item in items if item.get_closest_marker("in_turn")]
    out = {item for k, item in enumerate(marked) if (k - config.getoption("--turn")) % TURNS}
    config.hook.pytest_deselected(items=list(out))
    items[:] = [item for item in items if item not in out]
