"""The dashboard served with a person's own gradient: it opens on it, plays, and stays usable with a wrong name."""

import pytest
from playwright.sync_api import expect

from tests.browser.person import choose

CODE = """
import numpy as np
from sampler import GradientOracle
targets = np.random.default_rng(0).standard_normal((500, 2))
problem = GradientOracle(lambda i, theta: 2 * (theta - targets[i]), 2)
problem.terms = 500
"""

pytestmark = [pytest.mark.browser, pytest.mark.journey]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    module = f"own_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return module


class TestFound:
    @pytest.fixture
    def argv(self, folder):
        return "--problem", f"{folder}:problem"

    def test_live_opens_on_it_and_other_problems_stay_within_reach(self, open_page, folder):
        page = open_page()
        page.wait_for_function("epoch_shown() > 20")
        expect(page.get_by_role("combobox", name="target").locator("option:checked")).to_have_text(f"{folder}:problem")
        expect(page.get_by_text("against Laplace")).to_be_visible()
        page.wait_for_function("location.search.includes('problem=given')")
        expect(page.get_by_role("radio", name="Preconditioned")).to_be_disabled()  # it tells no curvature
        expect(page.locator(".refusals")).to_contain_text("needs a model whose curvature is known")
        choose(page, "target", "Gaussian mean, d = 2")
        page.wait_for_function("location.search.includes('problem=gaussian2')")
        page.wait_for_function("epoch_shown() > 5")


class TestLost:
    @pytest.fixture
    def argv(self, folder):
        return "--problem", f"{folder}:nobody"

    def test_a_wrong_name_is_said_and_the_page_plays_its_default(self, open_page, folder):
        page = open_page()
        expect(page.get_by_text("The pages open without your problem", exact=False)).to_be_visible()
        page.wait_for_function("epoch_shown() > 5")
