"""`Mutant`: one mutation and the file that it applies to."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1] / "sampler"
CHANGE = re.compile(r"\{(.*?) -> (.*?)\}", re.DOTALL)


@dataclass(frozen=True)
class Mutant:
    """Replacement of ``old``, which occurs once in the library, by ``new``; ``test`` must then fail."""

    old: str
    new: str
    test: str  #: pytest node id below tests/sampler

    @property
    def name(self) -> str:
        """One line for the report."""
        return f"{' '.join(self.old.split())}  ->  {' '.join(self.new.split())}"

    def file(self, root: Path) -> Path | None:
        """Return the library file below ``root`` with the only occurrence of ``old``; None if there is not exactly one."""
        counts = {path: text.count(self.old) for path, text in library(root).items()}
        return max(counts, key=counts.get) if sum(counts.values()) == 1 else None


@cache
def library(root: Path) -> dict[Path, str]:
    """Return path -> unmutated text of every library file below a folder."""
    return {path: path.read_text() for path in sorted((root / "sampler").rglob("*.py"))}


@cache
def tests_by_name() -> dict[str, list[str]]:
    """Return test function name -> node ids without parameters, for tests/sampler."""
    tests = defaultdict(list)
    for path in TESTS.rglob("test_*.py"):
        within = ""
        for owner, indented, name in re.findall(r"^(?:class (\w+)|( *)def (test_\w+)\()", path.read_text(), re.M):
            within = f"{owner}::" if owner else within
            if name:
                tests[name].append(f"{path.relative_to(TESTS).as_posix()}::{within if indented else ''}{name}")
    return tests


def mutants(table: dict[str, list[str]]) -> list[Mutant]:
    """Return the mutants of a table: test, optionally with parameters -> texts with ``{old -> new}``."""
    listed = []
    for test, texts in table.items():
        name = test.partition("[")[0]
        (node,) = tests_by_name()[name] or [f"no test is named {name}"]
        listed += [Mutant(*(CHANGE.sub(lambda change, part=part: change[part], text) for part in (1, 2)),
                          node + test.removeprefix(name)) for text in texts]
    return listed
