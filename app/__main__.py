"""``python -m app record``: a lesson or a link of the Live page as one HTML file that plays by itself."""

import sys

from app.recording.command import main

if __name__ == "__main__":
    sys.exit(main())
