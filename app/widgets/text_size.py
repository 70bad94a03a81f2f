"""Text, and widths at which a page is laid out otherwise, follow the text size set in the reader's browser."""

from __future__ import annotations

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
        block = _LINE.sub(lambda line: f"line-height:{float(line[1]) / float(sizes[0]):.5g}", block)
    return _SIZE.sub(_scaled_size, block)


def _scaled_size(found: re.Match) -> str:
    height = f"/{float(found[3][1:-2]) / float(found[2]):.5g}" if found[3] else ""
    return f"{found[1]}calc({found[2]}*var(--lab-px,1px)){height}"
