"""A deprecated name warns for one release, says what follows it, and is gone when it said so."""

import warnings

import pytest

import sampler
from sampler import deprecation
from sampler.deprecation import DEPRECATIONS, Deprecation, deprecated
from sampler.version import VERSION


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(deprecation, "DEPRECATIONS", [])
    return deprecation.DEPRECATIONS


def test_what_is_due_is_gone():
    """Fails when the release that a deprecation names is reached: remove the name then, and its entry."""
    assert DEPRECATIONS and [due.name for due in DEPRECATIONS if due.overdue(VERSION)] == []


def test_a_deprecated_function_works_warns_where_it_is_called_and_is_known(registry):
    @deprecated("new", removed_in="9.10.0")
    def old(x: int) -> int:
        """Say something."""
        return x + 1

    with pytest.warns(DeprecationWarning, match=r"old will be removed in release 9\.10\.0; use new") as said:
        assert old(2) == 3
    assert said[0].filename == __file__ and old.__doc__ == "Say something."
    assert [due.removed_in for due in registry] == ["9.10.0"]
    assert [registry[0].overdue(version) for version in ("9.9.9", "9.10.0", "10.0.0")] == [False, True, True]


def test_renamed_names_of_the_facade_warn_and_the_others_do_not():
    for old, due in sampler._RENAMED.items():
        with pytest.warns(DeprecationWarning, match=f"sampler.{old} will be removed in release .*; use sampler.") as said:
            found = getattr(sampler, old)
        assert said[0].filename == __file__ and found is getattr(sampler, due.successor.removeprefix("sampler."))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _ = sampler.RaceSetup


@pytest.mark.parametrize("version", ["0.7", "next", "1.0.0rc1", "1..0", ""])
def test_a_removal_without_a_release_is_refused(version, registry):
    with pytest.raises(ValueError, match="version must be major.minor.patch, such as '0.7.0', got "):
        Deprecation("a", "b", version)
