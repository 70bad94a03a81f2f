import tomllib

import pytest

from sampler import Settings


@pytest.mark.parametrize(("name", "value"), [
    ("eta0", 0), ("eta0", -1.0), ("eta0", float("nan")), ("eta0", "0.1"), ("eta0", None), ("eta0", 1e9),
    ("batch_size", 0), ("batch_size", 2.5), ("batch_size", True), ("i_max", 0), ("i_max", 10**16),
    ("acceptance_radius", 0), ("offset", -1), ("offset", float("inf")), ("reset", 1), ("refresh", "yes"),
])
def test_a_bad_value_is_named_with_its_range(name, value):
    with pytest.raises(ValueError, match=name) as error:
        Settings(**{name: value})
    assert repr(value) in str(error.value)


def test_step_size_and_acceptance_ball_shrink_as_they_say():
    settings = Settings(eta0=0.1, acceptance_radius=6.0, offset=2.0)
    assert settings.step_size(98) == pytest.approx(0.001) and settings.acceptance_distance(7) == pytest.approx(2.0)


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="etao"):
        Settings().replace(etao=1)


def test_the_limits_themselves_are_allowed():
    settings = Settings(batch_size=1, i_max=1, offset=0, acceptance_radius=float("inf"))
    assert settings.step_size(4) == 0.1 / 4
    assert settings.acceptance_distance(4) == float("inf")


def test_toml_gives_the_same_settings_back_and_keeps_other_tables(tmp_path):
    path = tmp_path / "tuned.toml"
    path.write_text('[evidence]\naccuracy = 0.94\n[settings]\neta0 = 3.0\n')
    settings = Settings(eta0=0.05, batch_size=9, acceptance_radius=float("inf"), refresh=False)
    settings.save(path)
    assert Settings.load(path) == settings
    assert tomllib.loads(path.read_text())["evidence"] == {"accuracy": 0.94}
    assert list(tmp_path.iterdir()) == [path]  # no temporary file is left


def test_a_file_with_some_settings_takes_the_defaults_for_the_rest(tmp_path):
    path = tmp_path / "bare.toml"
    path.write_text("[settings]\neta0 = 3\n")
    assert Settings.load(path) == Settings(eta0=3.0)


@pytest.mark.parametrize("text", ["not toml", "[other]\na=1\n", "settings = 3\n"])
def test_a_wrong_file_is_named(tmp_path, text):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match="wrong.toml"):
        Settings.load(path)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "tuned.toml"
    Settings(eta0=0.2).save(path)
    monkeypatch.setattr("tomli_w.dump", lambda *_: (_ for _ in ()).throw(OSError("no space left on device")))
    with pytest.raises(OSError, match="no space"):
        Settings(eta0=0.3).save(path)
    assert Settings.load(path).eta0 == 0.2
    assert list(tmp_path.iterdir()) == [path]
