"""Program of plain Python with functions that give the same results in Python and, translated, in a browser."""

from dataclasses import dataclass, field

ROWS = {"a": 1, "b": 2}


def truth():
    values = (0, 1, -0.5, "", "0", None, [], [0], (), {}, {"a": 0}, True, False, float("nan"))
    return [[bool(one), 1 if one else 0, not one, bool(one and 1), one or "else", one and "then"] for one in values[:-1]]


def equality():
    values = [0, 1, 1.0, True, False, None, "1", [1, [2]], [1, [2]], {"a": [1]}, {"a": [1]}, [], {}, ""]
    return [[[a == b for b in values] for a in values], [[a != b for b in values] for a in values]]


def containment():
    return [2 in [1, 2], [2] in [[1], [2]], "b" in "abc", "x" not in "abc", "k" in {"k": 0}, None in (1, None), 3 in {1, 2}]


def order():
    places = [(2, 1), (1, 5), (1, 2), (1, 2, 0)]
    words = ["b", "a", "ab", "B"]
    return [sorted(places), sorted([10, 9, -1, 100]), sorted(words), sorted(words, key=lambda one: len(one), reverse=True),
            max([3, 10, 9]), min(3, 10, 9), max(words, key=len), min([], default=7), (1, 2) < (1, 3), (2,) >= (1, 9),
            max(1.0, float("nan")), sum([1, 2, 3]), any([0, ""]), all([1, "a"])]


def arithmetic():
    pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (7.5, 2)]
    shifted = [*(1 << k for k in (0, 5, 40)), *(k.bit_length() for k in (0, 1, 255, 256)), 1000 >> 3, 13 & 6]
    return [*([a // b, a % b, a / b, a - -b, -a * (b + 1), 2**b] for a, b in pairs), shifted, int(-2.7), int("42"), abs(-3)]


def sequences():
    first, *rest = [1, 2, 3]
    (a, (b, c)), d = (1, (2, 3)), 4
    a, b = b, a
    whole = [*range(3), *range(6, 0, -2)]
    whole[-1] = 9
    pairs = [*(f"{i}{x}" for i, x in enumerate("ab", 1)), *(x + y for x in "ab" for y in "cd" if x + y != "bc")]
    return [first, rest, a, b, c, d, whole, whole[-2:], whole[:-1], whole[1], whole[-3], "abcdef"[1:3], pairs, [0] * 3,
            "ab" * 2, list(zip([1, 2], "xyz", strict=False)), list(reversed([1, 2])), {k: 2 * v for k, v in ROWS.items()},
            len(ROWS), [*{"x": 1, **ROWS}], list(ROWS.values()), next((x for x in [1, 5] if x > 2), None)]


def control_flow():
    values = []
    for i in range(10):
        if i % 2:
            continue
        elif i > 6:
            break
        values.append(i)
    while values and values[-1] > 2:
        values.pop()
    counted = 0

    def more(by, times=2):
        return counted + by * times
    counted += more(3)
    if (first := next((x for x in values if x), None)) is not None and 0 < first <= 2:
        values.extend(x * first for x in (5, 6))
    table = {"b": 2}
    return [values, counted, first, table, table.get("a"), table.get("a", 0), [*numbers(3)], [x for x in numbers(2)]]


def numbers(n):
    for i in range(n):
        yield 3 * i
    yield 10


@dataclass(frozen=True)
class Point:
    x: float
    new: int = 3
    many: list = field(default_factory=list)

    @property
    def twice(self):
        return 2 * self.x

    def moved(self, by, *, times=1):
        return Point(self.x + by * times, self.new)

    @classmethod
    def of(cls, pair):
        return cls(*pair)


def records():
    point = Point(1.5)
    other = Point(x=1.5, new=3)
    return [point == other, point != point.moved(1, times=2), point.moved(1, times=2).x, point.twice, Point.of((4, 5)).new,
            getattr(point, "x"), isinstance(point, Point), isinstance("a", str), isinstance(3, int | float), point.many]  # noqa: B009


def texts():
    parts = "a, b,c".split(",")
    return ["-".join(part.strip() for part in parts), "abab".replace("a", "{x}`${1}"), "x.".rstrip("."), str(12),
            f"{'q':s}|{3:,}|{1234.5:,.1f}|{0.00012:.2g}|{2.5:.0f}|{None}|{True}|{1e22:g}",
            f"{1.5e-05}|{2e-07}|{0.0001}", "Ab".upper() + "Ab".lower(),
            "abc".startswith("ab"), f"{{}} \\ \" ' \n{'é'}", float("1e3"), float("inf") > 1,
            [one.removeprefix("-") for one in ("-5", "5-", "--")], [one.partition(".") for one in ("a.b.c", "a", ".b", "")],
            [[one.isascii(), one.isdigit()] for one in ("12", "", "1.2", "é", "٣", "2_0")]]


class Named:
    __slots__ = ()

    def label(self):
        return f"{self.name} of {self.size}"


@dataclass(frozen=True)
class Box(Named):
    name: str
    size: int = 2


def rules_of_another():
    return [Box("a").label(), Box("b", size=5).label(), ROWS.get("constructor"), ROWS.get("toString", 7)]
