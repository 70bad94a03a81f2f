"""Formulas in plain HTML."""

import pytest

from app.glossary.plain_math import math_text, plain_math


@pytest.mark.parametrize(("tex", "said"), [
    (r"\eta_t = \frac{\eta_0}{t + c}", "η<sub>t</sub> = η<sub>0</sub>/(t + c)"),
    (r"\sqrt{2\eta_t}\,\xi", "√(2η<sub>t</sub>) ξ"),
    (r"x_t^\ast", "x<sub>t</sub>*"),
    (r"X^{t'} \le C'", "X<sup>t′</sup> ≤ C′"),
    (r"\left\lVert D \right\rVert^2 < r^2", "‖D‖<sup>2</sup> &lt; r<sup>2</sup>"),
    (r"\exp(-\frac{\lambda^2}{2c^2})", "exp(−λ<sup>2</sup>/(2c<sup>2</sup>))"),
    (r"\hat g \sim \varepsilon\Lambda", "ĝ ~ εΛ")])
def test_a_formula_reads_as_a_person_would_write_it(tex, said):
    assert plain_math(tex) == said


@pytest.mark.parametrize(("tex", "words"), [(r"\frobnicate x", "frobnicate"), ("{a", "braces"), ("a}", "braces"),
                                            ("x_", "must not end")])
def test_what_cannot_be_read_is_refused(tex, words):
    with pytest.raises(ValueError, match=words):
        plain_math(tex)


@pytest.mark.parametrize("tex, text", [(r"e^{\theta D^2}", "e^(θ D²)"), ("D^2", "D²"), ("10^{-12}", "10⁻¹²"),
                                       (r"\eta_0^2", "η0²"),
                                       ("a^T", "a^T"), ("X^{t'}", "X^(t′)")])
def test_as_text_alone_what_is_raised_stays_raised(tex, text):
    assert math_text(tex) == text
