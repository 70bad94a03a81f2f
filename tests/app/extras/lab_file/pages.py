"""The lab file with the worker of a test."""

import pytest

from app.extras.lab_file import page_file


def page_with_worker(script, *arguments):
    """Return `page_of(*arguments)` with this script instead of the worker's."""
    bundle_text = page_file.bundle_text
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_file, "bundle_text", lambda entry: script if entry == "lab_worker" else bundle_text(entry))
        return page_file.page_of(*arguments)
