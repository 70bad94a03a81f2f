"""`Workshop`: a copy of the tree for applying mutants one by one and running their tests."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.mutants.mutant import Mutant

SECONDS = 600  # an infinite loop counts as killed


class Workshop:
    """A copy of ``root`` in a folder."""

    def __init__(self, root: Path, home: Path) -> None:
        self.home, self.tree, self.cache = home, home / "tree", home / "kernels"
        for part in ("sampler", "tests"):
            shutil.copytree(root / part, self.tree / part,
                            ignore=shutil.ignore_patterns("__pycache__", "browser", "benchmarks"))
        shutil.copy2(root / "pyproject.toml", self.tree)

    def passes(self, tests: list[str], cache: Path | None = None) -> tuple[bool | None, str]:
        """Return whether the tests pass in the copy (None if pytest could not run them), and its output."""
        command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-m", "", "-p", "no:cacheprovider", *tests]
        places = {"PYTHONPATH": str(self.tree), "NUMBA_CACHE_DIR": str(cache or self.cache),
                  "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            process = subprocess.run(command, cwd=self.tree, env=os.environ | places, capture_output=True, text=True,
                                 timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return False, "took too long"
        return {0: True, 1: False}.get(process.returncode), process.stdout[-3000:] + process.stderr[-1000:]

    def killed(self, mutant: Mutant) -> tuple[bool | None, str]:
        """Return whether the mutant's test fails, and pytest's output; the copy is restored afterwards."""
        path = mutant.file(self.tree)
        if path is None:
            return None, "no longer applies: its line is missing or occurs more than once"
        originals = {user: (user.read_text(), os.stat(user)) for user in self._users(path)}
        cache = self.home / "mutated" if path.parent.name == "kernels" else None
        try:
            if cache is not None:  # numba detects edits of a kernel's own file only: edit all importing files too
                shutil.copytree(self.cache, cache)
                for user, (text, _) in originals.items():
                    user.write_text(text + "# built on a mutant\n")
            path.write_text(originals[path][0].replace(mutant.old, mutant.new))
            passed, output = self.passes(["tests/sampler/" + mutant.test], cache)
            return (None if passed is None else not passed), output
        finally:
            for user, (text, stamp) in originals.items():
                user.write_text(text)
                os.utime(user, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            if cache is not None:
                shutil.rmtree(cache)

    def _users(self, path: Path) -> list[Path]:
        """Return the file and all library files that import it, directly or indirectly."""
        imports = {file: set(re.findall(r"(?:from|import) (sampler[\w.]*)", file.read_text()))
                   for file in (self.tree / "sampler").rglob("*.py")}
        names = {file: ".".join(file.relative_to(self.tree).with_suffix("").parts) for file in imports}
        users, seen = [path], {names[path]}
        grown = True
        while grown:
            more = [file for file in imports if names[file] not in seen and imports[file] & seen]
            users += more
            seen |= {names[file] for file in more}
            grown = bool(more)
        return users
