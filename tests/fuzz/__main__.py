"""Run the long search and print the table of cases: ``python -m tests.fuzz [pytest arguments]``."""

import sys
from pathlib import Path

import pytest

sys.exit(pytest.main(["-m", "slow", "-q", str(Path(__file__).parent), *sys.argv[1:]]))
