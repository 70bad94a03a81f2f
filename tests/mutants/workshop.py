"""A copy of the tree in which mutants are made, one after the other, and their tests run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.mutants.mutant import Mutant

SECONDS = 600  # a mutant that loops for ever is killed as well


class Workshop:
    """Copies ``root`` into a folder."""

    def __init__(self, root: Path, home: Path) -> None:
        self.home, self.tree, self.cache = home, home / "tree", home / "kernels"
        for part in ("sampler", "tests"):
            shutil.copytree(root / part, self.tree / part,
                            ignore=shutil.ignore_patterns("__pycache__", "browser", "benchmarks"))
        shutil.copy2(root / "pyproject.toml", self.tree)

    def passes(self, tests: list[str], cache: Path | None = None) -> tuple[bool | None, str]:
        """Whether these tests pass in the copy, and what pytest printed; None when it could not run them."""
        command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-m", "", "-p", "no:cacheprovider", *tests]
        places = {"PYTHONPATH": str(self.tree), "NUMBA_CACHE_DIR": str(cache or self.cache),
                  "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            ran = subprocess.run(command, cwd=self.tree, env=os.environ | places, capture_output=True, text=True,
                                 timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return False, "took too long"
        return {0: True, 1: False}.get(ran.returncode), ran.stdout[-3000:] + ran.stderr[-1000:]

    def killed(self, mutant: Mutant) -> tuple[bool | None, str]:
        """Whether the mutant's test fails, and what pytest printed; the copy is whole again afterwards."""
        path = mutant.file(self.tree)
        if path is None:
            return None, "no longer applies: its line is gone, or stands more than once"
        whole = {user: (user.read_text(), os.stat(user)) for user in self._users(path)}
        cache = self.home / "mutated" if path.parent.name == "kernels" else None
        try:
            if cache is not None:  # numba sees an edit of a kernel's own file only: edit all that are built on it
                shutil.copytree(self.cache, cache)
                for user, (text, _) in whole.items():
                    user.write_text(text + "# built on a mutant\n")
            path.write_text(whole[path][0].replace(mutant.old, mutant.new))
            passed, output = self.passes(["tests/sampler/" + mutant.test], cache)
            return (None if passed is None else not passed), output
        finally:
            for user, (text, stamp) in whole.items():
                user.write_text(text)
                os.utime(user, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            if cache is not None:
                shutil.rmtree(cache)

    def _users(self, path: Path) -> list[Path]:
        """Return the file and every file of the library that imports it, over any number of steps."""
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
