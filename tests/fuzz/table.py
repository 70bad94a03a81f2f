"""The table of a search: cases, speed and findings of each area, told as tests end and kept in a file."""

import os
import time
from collections import Counter
from pathlib import Path

FILE = "FUZZ_TABLE"
"""Environment variable: file that the table is kept in, up to date after each test, with a line for each of them."""


class Table:
    """What has been searched so far."""

    def __init__(self, write):
        self._write = write
        self._file = os.environ.get(FILE)
        self._lines, self._begun = [], time.monotonic()
        self.cases, self.seconds, self.findings = Counter(), Counter(), Counter()

    def add(self, report):
        """Take in what pytest says of one step of a test."""
        counted = [value for name, value in report.user_properties if name == "fuzz"] if report.when == "call" else []
        for area, cases, seconds, findings in counted:
            self.cases[area] += cases
            self.seconds[area] += seconds
            self.findings[area] += findings
        broken = report.failed and not any(findings for *_, findings in counted)
        self.findings["not counted"] += broken  # the test did not come to its end
        if self._file and (counted or report.failed):
            self._tell(report, sum(cases for _, cases, *_ in counted))

    def _tell(self, report, cases):
        minutes, name = (time.monotonic() - self._begun) / 60, report.nodeid.partition("::")[2]
        line = f"{minutes:6.1f} min {self.cases.total():>11,} cases, of them {cases:>8,} {report.outcome} {name}"
        self._write(line)
        self._lines.append(line + (f"\n{report.longreprtext}" if report.failed else ""))
        Path(self._file).write_text("\n".join([*self.rows(), "", *self._lines, ""]))

    def rows(self):
        """Return the table, a line for each area and one for all."""
        areas = sorted(area for area in {*self.cases, *+self.findings})
        return [_row(area, self.cases[area], self.seconds[area], self.findings[area]) for area in areas] + [
            _row("all", self.cases.total(), self.seconds.total(), self.findings.total())]


def _row(area, cases, seconds, findings):
    found = f"{findings or 'no'} finding{'' if findings == 1 else 's'}"
    speed = f"{seconds:>8,.0f} s of processor {cases / max(seconds, 0.1):>7,.0f} a second"
    return f"{area:<12} {cases:>12,} cases {speed}  {found}"
