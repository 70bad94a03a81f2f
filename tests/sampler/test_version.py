"""A deprecated name warns for one release, says what follows it, and is gone when it said so."""

import warnings

import pytest

import sampler
from sampler.version import DEPRECATIONS, VERSION, Deprecation, release_numbers


def test_what_is_due_is_gone():
    """Fails when the release that a deprecation names is reached: remove the name then, and its entry."""
    assert DEPRECATIONS
    assert [due.name for due in DEPRECATIONS if release_numbers(VERSION) >= release_numbers(due.removed_in)] == []
    assert release_numbers("9.9.9") < release_numbers("9.10.0") < release_numbers("10.0.0")


def test_renamed_names_of_the_facade_warn_and_the_others_do_not():
    for old, due in sampler._RENAMED.items():
        with pytest.warns(DeprecationWarning, match=f"sampler.{old} will be removed in release .*; use sampler.") as warned:
            renamed = getattr(sampler, old)
        assert warned[0].filename == __file__ and renamed is getattr(sampler, due.successor.removeprefix("sampler."))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _ = sampler.RaceSetup


@pytest.mark.parametrize("version", ["0.7", "next", "1.0.0rc1", "1..0", ""])
def test_a_removal_without_a_release_is_refused(version):
    with pytest.raises(ValueError, match="version must be major.minor.patch, such as '0.7.0', got "):
        Deprecation("a", "b", version)
