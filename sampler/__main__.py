"""``python -m sampler``: replay a tuned setting on a stream, tune one, check a gradient."""

import sys

from sampler.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
