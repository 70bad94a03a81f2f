"""The paper's symbols as a page writes them where no HTML can be: the library's messages have them in plain ASCII."""

from __future__ import annotations

_WRITTEN = {"i_max": "iₘₐₓ", "X^t": "Xᵗ"}


def symbols(text: str) -> str:
    """Return a message of the library with its symbols as the page writes them, such as "iₘₐₓ" for "i_max"."""
    for plain, written in _WRITTEN.items():
        text = text.replace(plain, written)
    return text
