"""One mutation and where it applies."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1] / "sampler"
CHANGE = re.compile(r"\{(.*?) -> (.*?)\}", re.DOTALL)


@dataclass(frozen=True)
class Mutant:
    """``old`` stands once in the files of the library, and reads ``new`` in the mutant; ``test`` must fail."""

    old: str
    new: str
    test: str  #: of pytest, below tests/sampler

    @property
    def name(self) -> str:
        """In one line, for the report."""
        return f"{' '.join(self.old.split())}  ->  {' '.join(self.new.split())}"

    def file(self, root: Path) -> Path | None:
        """Return the one file of the library below ``root`` that has ``old`` exactly once; None when there is none."""
        counts = {path: text.count(self.old) for path, text in library(root).items()}
        return max(counts, key=counts.get) if sum(counts.values()) == 1 else None


@cache
def library(root: Path) -> dict[Path, str]:
    """Return path -> text, without a mutant, of every file of the library below a folder."""
    return {path: path.read_text() for path in sorted((root / "sampler").rglob("*.py"))}


@cache
def tests_by_name() -> dict[str, list[str]]:
    """Return the name of each test function below tests/sampler -> its node ids, without parameters."""
    tests = defaultdict(list)
    for path in TESTS.rglob("test_*.py"):
        within = ""
        for owner, indented, name in re.findall(r"^(?:class (\w+)|( *)def (test_\w+)\()", path.read_text(), re.M):
            within = f"{owner}::" if owner else within
            if name:
                tests[name].append(f"{path.relative_to(TESTS).as_posix()}::{within if indented else ''}{name}")
    return tests


def mutants(table: dict[str, list[str]]) -> list[Mutant]:
    """Return the mutants of a table: test, with its parameters or all of them -> texts with ``{old -> new}`` in them."""
    listed = []
    for test, texts in table.items():
        name = test.partition("[")[0]
        (node,) = tests_by_name()[name] or [f"no test is named {name}"]
        listed += [Mutant(*(CHANGE.sub(lambda change, part=part: change[part], text) for part in (1, 2)),
                          node + test.removeprefix(name)) for text in texts]
    return listed
