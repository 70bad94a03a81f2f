"""Lines in figures and on the canvas are distinguishable with colour-vision deficiencies and contrast with the card."""

import re
from functools import cache
from itertools import combinations, product
from pathlib import Path

import holoviews as hv
import numpy as np
import pytest
from bokeh.models import Line as BokehLine

import app
from app.live.charts.stack import ChartStack
from app.plots import accuracy_against_cost, looks, memory_against_cost
from app.plots.cells import RING
from app.plots.lines import MARKS
from app.plots.style import colours, ramp
from app.theme import TOKENS
from app.widgets.verdict_card import LOOK
from sampler.tuning import CellKey
from tests.app.colour_vision import MACHADO, ciede2000, contrast, seen
from tests.app.plots.figures import FIGURES
from tests.app.plots.test_tuning_cost import CELLS, KINDS

APART = 10
"""Minimum CIEDE2000 difference of two colours that no other cue distinguishes.

Stone, Szafir and Setlur (2014), "An engineering model for color difference as a function of size": half of the people on
ordinary screens notice a difference of 0.5 (A + B/s) at s degrees, with A, B = 10.2, 1.5 in L*, 10.7, 3.1 in a* and 10.7,
5.7 in b*. A legend's stroke and a dot's neighbourhood are a third of a degree: 7.3, 10.0 and 13.9. Most of what a
dichromat has left is L* and one hue, so the middle one is required; CIEDE2000 counts saturated hues less than a*, b* do.
"""
STANDS_OUT = 3
"""Minimum contrast of a line with the card: WCAG 2.2, 1.4.11."""
GUIDES = {"axis", "faint", "card", "middle", "over"}
"""Roles that carry no measurement: zero lines, pending values, backgrounds and the text on them."""
ALL = FIGURES | {
    "accuracy_against_cost": lambda: accuracy_against_cost(CELLS, verdicts=KINDS, chosen=CellKey(1.0, 600, 9)),
    "memory_against_cost": lambda: memory_against_cost(CELLS, verdicts=KINDS, chosen=CellKey(1.0, 600, 9))}
CUES = {  # on the canvas: cues other than colour for pairs of similar colours
    ("ink", "mode"): "both the ink of the theme: the mode is a cross, contours are lines, dashed if in the same picture",
    ("ink2", "ref"): "the ghost's dashes against the hatched area of a level, both labelled",
    ("esc", "sgld"): "an arrow with a head, drawn in slow steps only, against a circle; both labelled",
    ("esc", "hot"): "a cross at the cold start against the warm circles of the rungs; both labelled",
    ("sgld", "hot"): "slow steps of Live, cold start of a ladder: never in one picture",
}


def near(one: str, other: str) -> bool:
    """Return whether two different colours are too close in any kind of vision."""
    return one != other and min(ciede2000(seen(one, vision), seen(other, vision)) for vision in MACHADO) < APART


@cache
def lines_of(name):
    figure = ALL[name]()
    return [line for part in (figure if isinstance(figure, hv.Overlay) else [figure]) for line in part.data
            if hasattr(line, "mark")]


def shape(line):
    """Return the style of a line without its colour: its dash if it has one, else its marker and fill."""
    dash, marker, _, fill, strength = MARKS[line.mark]
    return dash or (marker, fill, strength > 0)


def pale(line, drawn):
    """Return whether a line is the pale remainder of a line "so far"."""
    return any(other.name == f"{line.name}, so far" for other in drawn)


def on_its_own_line(dots, drawn):
    """Return whether dots without a dash belong to a labelled line of the same name and role."""
    return MARKS[dots.mark][0] is None and any(
        dots.name.startswith(line.name) and line.role == dots.role and line.label for line in drawn if line is not dots)


@pytest.mark.parametrize("name", ALL)
def test_lines_of_a_figure_differ_by_more_than_hue(name):
    drawn = lines_of(name)
    alike = {(a.name, b.name) for a, b in combinations(drawn, 2) for dark in (False, True)
             if near(colours(dark)[a.role], colours(dark)[b.role]) and shape(a) == shape(b)
             and not (on_its_own_line(a, drawn) and on_its_own_line(b, drawn))}
    assert not alike


@pytest.mark.parametrize("name", ALL)
def test_lines_stand_out_from_the_card(name):
    drawn = lines_of(name)
    faint = {(line.name, line.role, round(ratio, 2)) for line in drawn if line.label and not pale(line, drawn)
             for dark, theme in ((False, "light"), (True, "dark")) if line.role not in GUIDES
             and (ratio := contrast(over(colours(dark)[line.role], line.alpha, theme), TOKENS[theme]["card"])) < STANDS_OUT}
    assert not faint


def over(colour: str, alpha: float, theme: str) -> str:
    """Return the colour that results from this opacity on the card."""
    card = TOKENS[theme]["card"]
    mixed = [round(alpha * int(colour[i:i + 2], 16) + (1 - alpha) * int(card[i:i + 2], 16)) for i in (1, 3, 5)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def test_lines_of_lives_charts_differ_and_stand_out():
    stack = ChartStack()
    tokens = {glyph.id: roles["line_color"] for glyph, roles in stack.paint.strokes if "line_color" in roles}
    for panel, (theme, palette) in product(stack.panels, TOKENS.items()):
        drawn = [(renderer.glyph, palette[tokens[renderer.glyph.id]]) for renderer in panel.figure.renderers
                 if isinstance(renderer.glyph, BokehLine) and renderer.glyph.id in tokens]
        assert drawn, panel.name
        for (one, colour), (other, another) in combinations(drawn, 2):
            assert not near(colour, another) or one.line_dash != other.line_dash, (panel.name, theme)
        for glyph, colour in drawn:
            assert contrast(over(colour, glyph.line_alpha, theme), palette["card"]) >= STANDS_OUT, (panel.name, theme)


def test_roles_on_the_canvas_differ_in_any_vision():
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(app.__file__).parent.glob("js/canvas/*.js"))
    read = set(re.findall(r"palette\.(\w+)", sources))
    assert {"esc", "acc", "chain", "sgld", "ref"} <= read <= set(TOKENS["light"])
    used = read - {"card", "esctx", "acctx", "sgldtx"}  # the background, and text
    unnamed = {pair for pair in combinations(sorted(used), 2) for palette in TOKENS.values()
               if near(palette[pair[0]], palette[pair[1]])} - {tuple(sorted(pair)) for pair in CUES}
    assert not unnamed
    for palette in TOKENS.values():
        assert {name: contrast(palette[name], palette["card"]) for name in used
                if contrast(palette[name], palette["card"]) < STANDS_OUT} == {}


COLDER = {f"{key}, cold": looks.optimizer_look(f"{key}, cold") for key in looks.OPTIMIZER_LOOKS}
FITS = ("laplace", "online_laplace", "warm_laplace", "rvga")
ALIKE = {frozenset(pair) for pair in (("precond", "ladder"), *combinations(FITS, 2))}
"""Preconditioned SAGA-LD is on Compare, Algorithm 3 on Offline; each Gaussian fit is one diamond with a label."""


@pytest.mark.parametrize("looks", [looks.SAMPLER_LOOKS, looks.OPTIMIZER_LOOKS | COLDER], ids=["samplers", "optimizers"])
def test_all_samplers_and_optimizers_look_different(looks):
    alike = {(a, b, dark) for (a, one), (b, other) in combinations(looks.items(), 2) for dark in (False, True)
             if one.name != other.name and one.mark == other.mark and frozenset((a, b)) not in ALIKE
             and (one.role == other.role or near(colours(dark)[one.role], colours(dark)[other.role]))}
    assert not alike


@pytest.mark.parametrize("vision", MACHADO)
@pytest.mark.parametrize("dark", [False, True])
def test_a_map_is_ordered_by_lightness_and_its_ring_is_visible_everywhere(vision, dark):
    steps = [seen(colour, vision) for colour in ramp(dark, 17)]
    lightness = np.diff([step[0] for step in steps])
    assert (lightness < 0).all() or (lightness > 0).all()
    assert min(ciede2000(seen(RING, vision), step) for step in steps) >= APART


def test_verdicts_differ_by_icon_or_in_any_vision():
    assert not {(one, other) for one, other in combinations(LOOK, 2) for palette in TOKENS.values()
                if LOOK[one][0] == LOOK[other][0] and near(palette[LOOK[one][1]], palette[LOOK[other][1]])}


@pytest.mark.parametrize(("one", "other", "difference"), [  # Sharma, Wu and Dalal (2005), table 1
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
    ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195), ((50, -0.001, 2.49), (50, 0.0011, -2.49), 4.7461),
    ((50, 2.5, 0), (73, 25, -18), 27.1492), ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082)])
def test_ciede2000_matches_its_reference_data(one, other, difference):
    assert ciede2000(one, other) == pytest.approx(difference, abs=5e-5)


def test_greys_look_the_same_in_any_vision():
    for vision in MACHADO:
        assert seen("#808080", vision) == pytest.approx(seen("#808080", "full colour"), abs=0.01)
