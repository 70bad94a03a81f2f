"""The code that students type, and the secret in the teacher's link."""

from __future__ import annotations

import secrets

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and digits that nobody takes for one another: no I, L or O, no 0 or 1."""
LENGTH = 6
"""31^6 codes, 887 million: with the wrong tries held to one a second, a guess takes years."""
WRONG_CODE = ("No class here has the code {}. A code has six letters and digits, never 0, O, 1, I or L: compare it with the"
              " teacher’s screen and type it again.")


def new_code() -> str:
    """Return a code that cannot be foreseen."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def new_secret() -> str:
    """Return 144 random bits as text that a link can hold."""
    return secrets.token_urlsafe(18)


def normal_code(typed: object) -> str:
    """Return what was typed as a code is written: capitals, without spaces and hyphens; at most 12 characters."""
    return "".join(letter for letter in str(typed)[:40].upper() if letter.isalnum())[:12]


def same(given: str, wanted: str) -> bool:
    """Whether two texts are equal, in a time that does not tell where they differ."""
    return secrets.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode())
