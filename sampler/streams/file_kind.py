"""What a file is that is no text, told by its first bytes, and what to do with it."""

import re

CSV_BY_HAND = ("save its sheet as CSV (Excel: File, Save As, CSV UTF-8; LibreOffice: File, Save As, Text CSV) and choose "
               "that file")
_PICTURE = "choose the table it was made from"
_KINDS = (
    (b"\x89PNG", "a PNG picture", _PICTURE),
    (b"\xff\xd8\xff", "a JPEG picture", _PICTURE),
    (b"GIF8", "a GIF picture", _PICTURE),
    (b"II*\x00", "a TIFF picture", _PICTURE),
    (b"MM\x00*", "a TIFF picture", _PICTURE),
    (b"%PDF", "a PDF document", "copy its table into a spreadsheet and save that as CSV"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel or other Office file of before 2007", CSV_BY_HAND),
    (b"\x1f\x8b", "compressed with gzip", "unpack it first"),
    (b"BZh", "compressed with bzip2", "unpack it first"),
    (b"\xfd7zXZ\x00", "compressed with xz", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first"),
    (b"Rar!", "a RAR archive", "unpack it first"),
    (b"PAR1", "a Parquet file", "give it a name that ends in .parquet"),
    (b"ARROW1", "an Arrow file", "give it a name that ends in .arrow"),
    (b"SQLite format 3\x00", "a SQLite database", "export a table as CSV, or read it with --sql on the command line"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "save its table as CSV or Parquet"),
    (b"\x93NUMPY", "a NumPy array", "save it with numpy.savetxt"),
)
_ZIPPED = ((b"xl/", "an Excel workbook", CSV_BY_HAND), (b"opendocument.spreadsheet", "a spreadsheet", CSV_BY_HAND),
           (b"", "a ZIP archive", "unpack it first"))
_CONTROLS = bytes(set(range(9)) | set(range(14, 32)) - {27} | {127})
MOST_CONTROLS = 0.02
"""Share of control characters that text may have."""
CHOOSE_TEXT = "choose a CSV, tab-separated, libsvm or Parquet file"


def refuse_other_kind(head: bytes, name: str) -> None:
    """Refuse a file whose first bytes say that it is of another kind than text.

    Parameters
    ----------
    head : bytes
        Its first bytes: some thousand tell most.
    name : str
        Of the file, for the words.

    Raises
    ------
    ValueError
        Which says what it is, and what to do.
    """
    for magic, kind, advice in _KINDS:
        if head.startswith(magic):
            raise _refused(name, kind, advice)
    if head.startswith(b"PK\x03\x04"):
        kind, advice = next((kind, advice) for mark, kind, advice in _ZIPPED if mark in head)
        raise _refused(name, kind, advice)
    if head.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
        raise ValueError(f"source: {name!r} is a web page, not a table; {CHOOSE_TEXT}")
    if head.lstrip()[:10].lower().startswith(b"@relation"):
        raise ValueError(f"source: {name!r} is an ARFF file of Weka; put the names of its columns, with commas between "
                         "them, in the place of all lines up to @data")
    if re.match(rb"\s*(\[\s*)?\{\s*\"", head):
        raise ValueError(f"source: {name!r} holds JSON, not a table; save it as CSV first (in Python: "
                         "pandas.read_json(name).to_csv(...))")


def refuse_no_text(head: bytes, name: str) -> None:
    """Refuse bytes that no text of one byte a letter has, with a ValueError."""
    if b"\0" in head or len(head) - len(head.translate(None, _CONTROLS)) > MOST_CONTROLS * len(head):
        raise ValueError(f"source: {name!r} is not a text file: it holds bytes that no text has; {CHOOSE_TEXT}")


def _refused(name: str, kind: str, advice: str) -> ValueError:
    return ValueError(f"source: {name!r} is not a text file: it is {kind}; {advice}")
