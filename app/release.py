"""The release inside the pictures that a browser saves: the script that every saved picture passes through."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

from sampler.version import MADE_WITH

PNG_HEAD = 33
"""Bytes of a PNG before its first chunk of choice: the signature and the header, whose lengths are fixed."""


def png_text(keyword: str, text: str) -> bytes:
    """Return a text chunk of a PNG, as any reader of metadata shows it.

    Parameters
    ----------
    keyword, text
        Latin-1; ``Software`` is the standard's keyword of what made a picture.

    Source: PNG (ISO/IEC 15948), 11.3.4.3 tEXt.
    """
    body = b"tEXt" + keyword.encode("latin-1") + b"\0" + text.encode("latin-1")
    return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))


RELEASE_JS = (f"const RELEASE = {json.dumps(MADE_WITH)}, PNG_HEAD = {PNG_HEAD},"
              f" PNG_RELEASE = {list(png_text('Software', MADE_WITH))};\n"
              + Path(__file__).with_name("release.js").read_text(encoding="utf-8"))
"""JavaScript: ``await stamped(blob)`` is the picture with the release in it; what is no PNG or SVG stays as it is."""
