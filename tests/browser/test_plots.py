"""Figures in a browser: labels that never overlap, hovering, taps, no tab stops, pictures for the buttons."""

import holoviews as hv
import pytest

from app import plots
from app.plots.shown import html_page
from app.theme import tokens
from tests.app.plots.figures import FIGURES
from tests.browser.person import new_tab

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.in_turn]

PLOTS = "window.plots = () => [...Bokeh.index.query(view => view.model?.tags?.includes?.('plots'))]"
"""Views of all figures."""
SETTLED = """() => {  // every figure has laid out its labels for its size, and the size is constant
  const views = plots()
  const sizes = views.map(({model: figure}) => [figure.name, figure.inner_width, figure.inner_height, figure.outer_width])
  const laid = views.every(({model: figure}) => {
    const names = figure.renderers.find(r => r.name == "names")
    return figure.inner_width > 0 && (!names || names.data_source.size == `${figure.inner_width},${figure.inner_height}`)
  })
  const now = JSON.stringify(sizes)
  globalThis.calm = laid && now == globalThis.seen ? (globalThis.calm ?? 0) + 1 : 0
  globalThis.seen = now
  return views.length == COUNT && sizes.every(size => Math.abs(size[3] - innerWidth) < 30) && globalThis.calm > 12
}"""

BOXES = """() => plots().map(view => {
  const figure = view.model, frame = view.frame.bbox, pen = document.createElement("canvas").getContext("2d")
  const box = (data, i, bold, size) => {
    const rows = data.text[i].split("\\n")
    pen.font = `${bold ? "bold " : ""}${size} Roboto, Arial, sans-serif`
    const wide = Math.max(...rows.map(words => pen.measureText(words).width)), tall = 13 * rows.length
    const x = view.frame.x_scale.compute(data.x[i]), y = view.frame.y_scale.compute(data.y[i])
    const left = x - {left: 0, center: wide / 2, right: wide}[data.align[i]]
    return {text: data.text[i], bold, left, right: left + wide, top: y - tall / 2, bottom: y + tall / 2}
  }
  const of = (renderer, bold) => {
    const data = renderer?.data_source.data
    return data ? Array.from(data.text, (_, i) => box(data, i, bold(data, i), data.size?.[i] ?? "11.5px")) : []
  }
  const styled = (data, i) => data.style[i] == "bold"
  const wanted = figure.renderers.filter(r => r.glyph?.type == "MultiLine" && r.data_source.data.label)
    .flatMap(({data_source: {data}}) => data.label.map((text, i) => ({text, bold: data.bold[i]}))).filter(({text}) => text)
  return {name: figure.name, width: view.el.clientWidth, height: view.el.clientHeight,
    names: of(figure.renderers.find(r => r.name == "names"), styled), wanted,
    notes: of(figure.renderers.find(r => r.name == "notes"), styled).filter(({text}) => !"★◣".includes(text))}
})"""


TICKS = """() => plots()
  .flatMap(view => [...view.model.left, ...view.model.below]).map(axis => axis.formatter)
  .find(one => one?.type == "CustomJSTickFormatter").doFormat([-0.5, 1234.5, -1e-17], {loc: 0})"""


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    hv.extension("bokeh")
    folder, pages = tmp_path_factory.mktemp("gallery"), {}
    for theme in ("light", "dark"):
        figures = []
        for name, make in FIGURES.items():
            figure = plots.to_plot(make(), theme == "dark").state
            figure.update(height=340, sizing_mode="stretch_width", name=name)
            figures.append(figure)
        pages[theme] = folder / f"{theme}.html"
        pages[theme].write_text(html_page(figures, "figures", theme == "dark"), encoding="utf-8")
    return pages


@pytest.fixture
def shown(chromium, gallery):
    """Return a function that opens a gallery at a width; any console error or warning fails the test."""
    problems, pages = [], []

    def show(width: int, theme: str = "light"):
        pages.append(page := new_tab(chromium, problems, width, own="file:", kinds=("error", "warning")))
        page.add_init_script(PLOTS)
        page.goto(gallery[theme].as_uri())
        settle(page)
        return page

    yield show
    for page in pages:
        page.context.close()
    assert not problems


def settle(page) -> None:
    page.wait_for_function(SETTLED.replace("COUNT", str(len(FIGURES))), polling="raf")


def check(figure: dict) -> list[str]:
    wrong = []
    for kind in ("names", "notes"):
        boxes = figure[kind]
        wrong += [f"{figure['name']}: {a['text']!r} covers {b['text']!r}" for k, a in enumerate(boxes) for b in boxes[:k]
                  if min(a["right"], b["right"]) - max(a["left"], b["left"]) > 0.5
                  and min(a["bottom"], b["bottom"]) - max(a["top"], b["top"]) > 0.5]
        wrong += [f"{figure['name']}: {a['text']!r} leaves the figure {a}" for a in boxes
                  if a["left"] < -0.5 or a["right"] > figure["width"] + 0.5
                  or a["top"] < -2 or a["bottom"] > figure["height"]]
    bold = sum(label["bold"] for label in figure["wanted"]), sum(label["bold"] for label in figure["names"])
    if bold[0] != bold[1]:
        wrong.append(f"{figure['name']}: {bold[1]} of {bold[0]} bold labels are visible")
    if len(figure["names"]) < 0.75 * len(figure["wanted"]):
        wrong.append(f"{figure['name']}: only {len(figure['names'])} of {len(figure['wanted'])} labels are visible")
    return wrong


ENDS = """() => plots().map(view => {
  const names = view.model.renderers.find(r => r.name == "names")?.data_source.data ?? {text: []}
  const {x_scale, y_scale} = view.frame
  const lines = view.model.renderers.filter(r => r.glyph?.type == "MultiLine" && r.data_source.data.label)
  const ends = lines.flatMap(({data_source: {data}}) => data.label.map((label, i) => {
    const last = data.xs[i].length - 1, k = names.text.findIndex(text => text == label || text == data.short[i])
    return k >= 0 && data.where[i] == "end" && {text: names.text[k], endX: x_scale.compute(data.xs[i][last]),
      endY: y_scale.compute(data.ys[i][last]), x: x_scale.compute(names.x[k]), y: y_scale.compute(names.y[k])}
  })).filter(one => one && Math.abs(one.x - one.endX - 8) < 0.5)
  return {name: view.model.name, ends}
})"""


def crossed(page) -> list:
    """Return pairs of labels next to line ends of one column whose order differs from that of their lines."""
    ends_of = {figure["name"]: figure["ends"] for figure in page.evaluate(ENDS)}
    assert len(ends_of["growth_close"]) >= 4
    return [(name, a["text"], b["text"]) for name, ends in ends_of.items() for a in ends for b in ends
            if abs(a["endX"] - b["endX"]) < 2 and a["endY"] < b["endY"] - 0.5 and a["y"] > b["y"]]


def test_labels_do_not_overlap_and_follow_the_order_of_their_lines_at_every_width(shown):
    page = shown(390)  # opened on a phone, then resized
    for width in (390, 1440, 720, 360):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page)
        figures = page.evaluate(BOXES)
        assert len(figures) == len(FIGURES)
        assert sum(len(figure["names"]) for figure in figures) > 90
        assert not [words for figure in figures for words in check(figure)]
        assert not crossed(page)
    assert page.evaluate(TICKS) == ["−0.5", "1,234.5", "0"]


POINT = """([name, x, y]) => {
  const view = plots().find(({model}) => model.name == name)
  view.el.scrollIntoView({block: "center"})
  const {left, top} = view.el.getBoundingClientRect()
  return [left + view.frame.x_scale.compute(x), top + view.frame.y_scale.compute(y)]
}"""
TOOLTIPS = """() => deepAll(".bk-Tooltip").filter(node => node.offsetHeight).map(
  node => [node.shadowRoot.textContent, getComputedStyle(node).backgroundColor])"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_have_tooltips_in_the_theme_and_taps_and_are_no_tab_stops(shown, theme):
    page = shown(720, theme)
    for name, x, y, words in (("survival", 5000, 0.9, ("chains", "free walk", "ours, curved", "5,000")),
                              ("race", 4000, 0.908, ("Full Laplace", "0.908")),
                              ("tuning_map", 0.57, 40, ("measured", "predicted", "gradients per epoch"))):
        page.mouse.move(0, 0)
        place = page.evaluate(POINT, [name, x, y])
        page.mouse.move(*place)
        page.mouse.move(place[0] + 1, place[1])
        page.wait_for_function(f"words => ({TOOLTIPS})().some(([text]) => words.every(word => text.includes(word)))",
                               arg=list(words))
    card = tokens(theme == "dark")["card"]
    rgb = f"rgb({int(card[1:3], 16)}, {int(card[3:5], 16)}, {int(card[5:7], 16)})"
    assert {colour for _, colour in page.evaluate(TOOLTIPS)} == {rgb}
    stops = page.evaluate("""() => plots().map(view =>
      [view.model.name, view.canvas_view.events_el.tabIndex, view.el.role, view.el.ariaLabel])""")
    assert len(stops) == len(FIGURES)
    for name, stop, role, label in stops:
        assert (stop, role) == (-1, "img") and label.startswith("Chart of "), name
    cell = [0.57, 40, 9, "saga-ld"]
    for name, x, y, glyph, key in (("paths", 7200, 1, "Scatter", 12), ("tuning_map", 0.57, 40, "Quad", cell)):
        page.mouse.click(*page.evaluate(POINT, [name, x, y]))
        selected = page.wait_for_function("""([name, glyph]) => {
          const {model} = plots().find(({model}) => model.name == name)
          const source = model.renderers.find(r => r.glyph?.type == glyph).data_source
          const chosen = Array.from(source.selected.indices)
          return chosen.length && {key: source.data.key[chosen[0]]}
        }""", arg=[name, glyph]).json_value()
        assert selected["key"] == key
