import tomllib

import pytest

from sampler import Settings


def test_step_size_and_acceptance_ball_shrink_as_they_say():
    settings = Settings(eta0=0.1, acceptance_radius=6.0, offset=2.0)
    assert settings.step_size(98) == pytest.approx(0.001) and settings.acceptance_distance(7) == pytest.approx(2.0)


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
