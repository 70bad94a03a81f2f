"""Run the long search and print the table of cases: ``python -m tests.fuzz [--help] [pytest arguments]``."""

import argparse
import os
import sys
from pathlib import Path

import pytest

SHARES = "1,functions=0.12"
"""Parts that are drawn unless others are asked for: what calls cost most is searched less than what they cost little."""


def main(arguments):
    """Search on all processors, go on past what is found, and keep the table in a file."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Put nonsense to everything that takes input; "
                                     "other arguments go to pytest, for example -k links.")
    parser.add_argument("--share", default=SHARES, metavar="PART,AREA=PART,...", help="part of the examples, of all areas "
                        "and of some; more than 1 draws more (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes (default: %(default)s)")
    parser.add_argument("--table", default="fuzz_table.txt", metavar="FILE", help="file that the table is kept in (default: "
                        "%(default)s)")
    options, others = parser.parse_known_args(arguments)
    os.environ |= {"FUZZ_SHARE": options.share, "FUZZ_TABLE": str(Path(options.table).absolute())}
    return pytest.main(["-m", "slow", "-q", "-n", str(options.workers), "--dist", "load", "--maxschedchunk", "1",
                        str(Path(__file__).parent), *others])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
