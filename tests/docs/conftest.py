"""What the site's build adds, for every test of a page that asks for it."""

import importlib.util
import sys

import pytest

from tests.docs.pages import DOCS


@pytest.fixture(scope="module")
def hooks():
    """What the site's build adds, loaded by its path as MkDocs does."""
    spec = importlib.util.spec_from_file_location("site_hooks", DOCS / "hooks.py")
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module
