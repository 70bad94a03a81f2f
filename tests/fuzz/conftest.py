"""Says how many cases each area has seen, and how fast."""

from tests.fuzz.table import Table

FIRST = "test_functions.py"
"""Many short tests: they come last, so that no worker is left with a long one while the others have ended."""


class Summary:
    """Hears of every test, here or in a worker."""

    def __init__(self):
        self.table = Table(lambda line: self.reporter and self.reporter.write_line(f"\r{line}"))
        self.reporter = None

    def pytest_runtest_logreport(self, report):
        self.table.add(report)

    def pytest_terminal_summary(self, terminalreporter):
        if self.table.cases:
            terminalreporter.section("cases of nonsense")
            for row in self.table.rows():
                terminalreporter.write_line(row)

    def pytest_sessionstart(self, session):
        self.reporter = session.config.pluginmanager.get_plugin("terminalreporter")


def pytest_configure(config):
    config.pluginmanager.register(Summary())


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name == FIRST)
