"""Settings and their files; deprecated names warn with their replacement until the announced release."""

import tomllib
import warnings

import pytest

import sampler
from sampler import Settings
from sampler.version import DEPRECATIONS, VERSION, Deprecation, release_numbers


def test_step_size_and_acceptance_distance():
    settings = Settings(eta0=0.1, acceptance_radius=6.0, offset=2.0)
    assert settings.step_size(98) == pytest.approx(0.001) and settings.acceptance_distance(7) == pytest.approx(2.0)
    least = Settings(batch_size=1, i_max=1, offset=0, acceptance_radius=float("inf"))  # limits themselves are allowed
    assert least.step_size(4) == 0.1 / 4 and least.acceptance_distance(4) == float("inf")


def test_toml_round_trip_keeps_other_tables(tmp_path):
    path = tmp_path / "tuned.toml"
    path.write_text('[evidence]\naccuracy = 0.94\n[settings]\neta0 = 3.0\n')
    settings = Settings(eta0=0.05, batch_size=9, acceptance_radius=float("inf"), refresh=False)
    settings.save(path)
    assert Settings.load(path) == settings
    assert tomllib.loads(path.read_text())["evidence"] == {"accuracy": 0.94}
    assert list(tmp_path.iterdir()) == [path]  # no temporary file is left
    path.write_text("[settings]\neta0 = 3\n")
    assert Settings.load(path) == Settings(eta0=3.0)
    with pytest.raises(ValueError, match="unknown setting 'etao'"):
        Settings().replace(etao=1)


@pytest.mark.parametrize("text", ["not toml", "[other]\na=1\n", "settings = 3\n"])
def test_a_wrong_file_is_named(tmp_path, text):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match="wrong.toml"):
        Settings.load(path)


def test_deprecations_are_removed_on_time():
    """Fails in the release of ``removed_in``: then remove the name and its entry."""
    assert [due.name for due in DEPRECATIONS if release_numbers(VERSION) >= release_numbers(due.removed_in)] == []
    assert release_numbers("9.9.9") < release_numbers("9.10.0") < release_numbers("10.0.0")


def test_a_renamed_name_warns_and_no_other_does(monkeypatch):
    monkeypatch.setattr("sampler.version.DEPRECATIONS", [])
    monkeypatch.setitem(sampler._RENAMED, "Ground", Deprecation("sampler.Ground", "sampler.RaceSetup", "9.0.0"))
    with pytest.warns(DeprecationWarning, match="Ground will be removed in release 9.0.0; use sampler.Race") as warned:
        assert sampler.Ground is sampler.RaceSetup
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _ = sampler.RaceSetup


@pytest.mark.parametrize("version", ["0.7", "next", "1.0.0rc1", "1..0", ""])
def test_a_removal_needs_a_release(version):
    with pytest.raises(ValueError, match="version must be major.minor.patch, such as '0.7.0', got "):
        Deprecation("a", "b", version)
