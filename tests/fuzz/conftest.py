"""Says at the end how many cases each area has seen, and how fast."""

from collections import Counter


def pytest_terminal_summary(terminalreporter):
    counts, seconds, failed = Counter(), Counter(), Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in report.user_properties:
                if name == "fuzz":
                    area, cases, took = value
                    counts[area] += cases
                    seconds[area] += took
                    failed[area] += outcome == "failed"
    if counts:
        terminalreporter.section("cases of nonsense")
        for area in sorted(counts):
            terminalreporter.write_line(_row(area, counts[area], seconds[area], failed[area]))
        terminalreporter.write_line(_row("all", counts.total(), seconds.total(), failed.total()))


def _row(area, cases, seconds, failed):
    findings = f"{failed or 'no'} finding{'' if failed == 1 else 's'}"
    speed = f"{seconds:>8,.0f} s of processor {cases / max(seconds, 0.1):>7,.0f} a second"
    return f"{area:<12} {cases:>12,} cases {speed}  {findings}"
