import pytest

from sampler.problems import load_problem


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_problem_here.py").write_text(
        "import numpy as np\nfrom sampler import GradientOracle\n"
        "problem = GradientOracle(lambda i, x: np.tile(x, (len(i), 1)), 2)\n"
        "def make():\n    return problem\nnumber = 7\n")
    (tmp_path / "own_problem_broken.py").write_text("1 / 0\n")
    (tmp_path / "own_problem_needy.py").write_text("import no_such_package_at_all\n")
    return tmp_path


def test_the_current_folder_is_searched(folder):
    problem = load_problem("own_problem_here:problem")
    assert problem.dim == 2 and problem.named == ("own_problem_here:problem", str(folder))
    assert load_problem("own_problem_here:make") is problem


@pytest.mark.parametrize(("name", "words"), [
    ("own_problem_here", "must be module:name"), ("own_problem_here:other", "has no 'other'; it has .*problem"),
    ("own_problem_here:number", "must be a problem, .* got int"), ("no_module_of_this_name:x", "there is no module"),
    ("own_problem_broken:x", "fails on import: ZeroDivisionError"), ("own_problem_needy:x", "needs 'no_such_package"),
])
def test_what_is_not_there_is_said(folder, name, words):
    with pytest.raises(ValueError, match=words):
        load_problem(name)
