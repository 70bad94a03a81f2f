"""The statements on the page are the library's numbers."""

from app.exit_time.statements import statements
from sampler import synthetic_logistic
from sampler.theory import logistic_theorem


def test_they_say_what_the_library_computes():
    found, said = logistic_theorem(*synthetic_logistic(1000, 20)), statements()
    assert f"a spread of 316 where {found.spread:.2f} is so," in said and f"for K ≥ {found.needed:.2g}." in said
    assert "from t = 2.9 × 10¹⁴ on" in said
    assert "it says 10<sup>−7,678</sup> where 0.045 is so" in said
    assert "average 0.39 away" in said and "takes 98.8 % of them" in said
