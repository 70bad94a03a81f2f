"""Fixture with the MkDocs hooks of the site."""

import importlib.util
import sys

import pytest

from tests.docs.pages import DOCS


@pytest.fixture(scope="module")
def hooks():
    """The hooks module, loaded from its path as MkDocs does."""
    spec = importlib.util.spec_from_file_location("site_hooks", DOCS / "hooks.py")
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module
