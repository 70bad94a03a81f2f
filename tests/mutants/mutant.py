"""One mutation and where it applies."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """``old`` stands once in the files of sampler/``room``, and reads ``new`` in the mutant; ``test`` must fail."""

    room: str
    old: str
    new: str
    test: str  #: of pytest, below tests/sampler

    @property
    def name(self) -> str:
        """In one line, for the report."""
        return f"{self.room}: {' '.join(self.old.split())}  ->  {' '.join(self.new.split())}"

    def file(self, root: Path) -> Path | None:
        """Return the one file below ``root`` whose text has ``old`` exactly once; None when there is no such file."""
        found = [(path, path.read_text().count(self.old)) for path in sorted((root / "sampler" / self.room).rglob("*.py"))]
        found = [(path, count) for path, count in found if count]
        return found[0][0] if len(found) == 1 and found[0][1] == 1 else None

    @property
    def test_file(self) -> str:
        """Path of the test's file."""
        return "tests/sampler/" + self.test.partition("::")[0]


def mutants(room: str, tests: dict[str, dict[str, list[tuple[str, str]]]]) -> list[Mutant]:
    """Return the mutants of a room from a table: test file -> test -> (old, new) of each."""
    return [Mutant(room, old, new, f"{file}::{test}") for file, named in tests.items() for test, pairs in named.items()
            for old, new in pairs]
