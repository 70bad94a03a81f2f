"""``python -m app.js.translate``: write the JavaScript modules; ``--check``: compare them with the existing files."""

import argparse
import sys

from app.js.translate.modules import FOLDER, files


def main() -> int:
    """Write the files, or with ``--check`` compare them with the sources. Return the exit code, 0 if they are up to date."""
    parser = argparse.ArgumentParser(prog="python -m app.js.translate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the files are out of date")
    check, made = parser.parse_args().check, files()
    present = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js")}
    if check:
        print("the files are up to date" if present == made else "the files are out of date; run python -m app.js.translate")
        return int(present != made)
    FOLDER.mkdir(exist_ok=True)
    for name in present.keys() - made.keys():
        (FOLDER / name).unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(made)} files, {sum(map(len, made.values())):,} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
