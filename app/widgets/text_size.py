"""Text, and widths at which a page is laid out otherwise, follow the text size set in the reader's browser."""

from __future__ import annotations

import math
import re

_WIDTH = re.compile(r"\((m(?:ax|in)-width):\s*([\d.]+)px\)")
_BLOCK = re.compile(r"\{[^{}]*\}")
_LINE = re.compile(r"(?<![-\w])line-height:([\d.]+)px")
_SIZE = re.compile(r"(?<![-\w])(font(?:-size)?:[^;}]*?)(?<![\d.])([\d.]+)px(/[\d.]+px)?")


def scaled_text(css: str) -> str:
    """Return a style sheet whose font sizes are counted in `--lab-px`, a pixel of the reader's own text size.

    `app.theme.css_variables` sets the variable; where nobody does it is a pixel. A line height in pixels becomes a multiple
    of the font size beside it, so that lines stay apart under a browser's smallest font size as well.
    """
    return scaled_widths(_BLOCK.sub(lambda block: _scaled_block(block[0]), css))


def scaled_widths(text: str) -> str:
    """Return a style sheet or script whose media queries ask for widths in em: with large text a window is soon narrow."""
    return _WIDTH.sub(lambda found: f"({found[1]}:{float(found[2]) / 16:.8g}em)", text)


def _scaled_block(block: str) -> str:
    sizes = re.findall(r"(?<![-\w])font-size:([\d.]+)px", block)
    if len(sizes) == 1:
        block = _LINE.sub(lambda line: f"line-height:{_times(line[1], sizes[0])}", block)
    return _SIZE.sub(_scaled_size, block)


def _times(height: str, size: str) -> str:
    """Return how often the size is in the height, rounded up: a browser drops what is less than a 64th of a pixel."""
    return f"{math.ceil(1e5 * float(height) / float(size) - 1e-6) / 1e5:.8g}"


def _scaled_size(found: re.Match) -> str:
    height = f"/{_times(found[3][1:-2], found[2])}" if found[3] else ""
    return f"{found[1]}calc({found[2]}*var(--lab-px,1px)){height}"
