"""Says at the end how many cases each area has seen."""

from collections import Counter


def pytest_terminal_summary(terminalreporter):
    counts, failed = Counter(), Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in report.user_properties:
                if name == "fuzz":
                    counts[value[0]] += value[1]
                    failed[value[0]] += outcome == "failed"
    if counts:
        terminalreporter.section("cases of nonsense")
        for area in sorted(counts):
            terminalreporter.write_line(f"{area:<12} {counts[area]:>12,}  {failed[area] or 'no'} finding"
                                        f"{'' if failed[area] == 1 else 's'}")
        terminalreporter.write_line(f"{'all':<12} {sum(counts.values()):>12,}")
