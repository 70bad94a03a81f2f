import math

import pytest

from sampler.theory.theorem_constants import theorem_constants, theorem_rates

GOOD = dict(horizon=1000, epsilon=0.1, dim=21, smoothness=1.5, concentration=1.0, drift=1.0)


def test_the_reference_constants():
    c = theorem_constants(**GOOD)
    assert c.eps1 == pytest.approx(0.1 / 3000)
    assert c.eps2 == pytest.approx(0.00303, abs=5e-6)
    assert c.escape_radius == pytest.approx(1201, abs=0.5)
    assert c.eta0 == pytest.approx(1.41e-12, abs=0.005e-12)
    assert c.i_max == pytest.approx(1.97e20, rel=0.003)
    assert c.acceptance_radius == pytest.approx(28.3, abs=0.05)
    assert c.C1 == pytest.approx(math.log(30_000))
    assert c.batch_size == 9


def test_an_amplitude_lengthens_the_distance_at_which_the_tail_is_eps1():
    c = theorem_constants(**GOOD, amplitude=math.e)
    assert c.C1 == pytest.approx(math.log(30_000) + 1) and math.e * math.exp(-c.C1) == pytest.approx(c.eps1)
    assert theorem_constants(**GOOD, amplitude=1.0) == theorem_constants(**GOOD)


def test_the_rates_are_those_of_equation_66():
    """i_max = 40 L^2 R^2 (C1 + D)^2 / eps2^4, R = 100 (C1 + D) for d = 2: eps^-4, L^2, k^-4 up to C1 = ln(1/eps1)/k."""
    point = GOOD | dict(dim=2)
    found, C1 = theorem_rates(**point), math.log(30_000)
    nearer = 4 * math.log2((C1 - math.log(2) + 1) / (C1 + 1))
    assert found["epsilon"] == pytest.approx(-4 + nearer, abs=1e-9)
    assert found["smoothness"] == pytest.approx(2.0) and found["dim"] == pytest.approx(0.0)
    assert found["concentration"] == pytest.approx(4 * math.log2((C1 / 2 + 1) / (C1 + 1)))
    assert found["drift"] == pytest.approx(4 * math.log2((C1 + 2) / (C1 + 1)))
    # T enters through logarithms alone: its exponent falls as T grows.
    assert 0 < theorem_rates(**(point | dict(horizon=10**9)))["horizon"] < found["horizon"] < 1
    # With the other branch of R, sqrt(d/L log), d enters to the first power and L to the first.
    other = theorem_rates(1, 0.25, 10**6, 0.01, 1.0, 0.0)
    assert other["dim"] == pytest.approx(1.0, abs=0.1) and other["smoothness"] == pytest.approx(1.0, abs=0.1)


def test_i_max_is_a_python_int_beyond_64_bits():
    assert type(theorem_constants(**GOOD).i_max) is int
    assert theorem_constants(**GOOD).i_max > 2**63


def test_equation_66_both_ways():
    c = theorem_constants(**GOOD)
    again = 40 * 1.5**2 * c.escape_radius**2 * (c.C1 + 1.0) ** 2 / c.eps2**4
    assert c.i_max == pytest.approx(again, rel=1e-12)


def test_the_other_branch_of_the_escape_radius():
    c = theorem_constants(1, 0.5, 10_000, 0.01, 1.0, 0.0)
    assert c.eps2 == pytest.approx(0.5 / 3)
    assert c.escape_radius == pytest.approx(100 * math.sqrt(1e6 * math.log(1e6)))


def test_a_tiny_epsilon_does_not_overflow():
    c = theorem_constants(10, 1e-100, 2, 1.0, 1.0, 0.0)
    assert c.i_max > 10**400
    assert c.eta0 > 0.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("horizon", 0),
        ("epsilon", 0.0),
        ("epsilon", 1.0),
        ("dim", 0),
        ("smoothness", 0.0),
        ("concentration", -1.0),
        ("drift", -1.0),
        ("drift", math.nan),
    ],
)
def test_bad_input_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"{name} must"):
        theorem_constants(**(GOOD | {name: value}))
