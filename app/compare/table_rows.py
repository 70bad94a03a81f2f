"""Tables, texts and CSV of a race, Figure 1 and the papers' tables."""

import math

import numpy as np

from app.compare import race_words
from app.compare.race_job import BOUNDS, RaceResult, TablesResult
from app.compare.race_problems import PAPER, marked, name_of, names_of
from app.csv_text import result_columns
from app.number_words import accuracy, growth_of, lasted, near_round, rounded, slope_words, tiny
from app.plots.looks import sampler_look
from app.plots.race import FIGURE_ONE_NAMES
from app.state.compare import CompareConfig
from sampler.racing import CONTESTANTS, Curves, FigureOne, Growth


def marks_of(result: RaceResult) -> tuple[int, int]:
    """Return the two budgets at which accuracies are read: 20,000 and 200,000 of 300,000.

    For a running race they follow from its final budget, if fixed, so that the headings do not change.
    """
    config = result.config
    budget = config.evaluations if config.budget == "evaluations" and not result.raced else 100.0
    spent = max([budget, *(float(c.evaluations[-1]) for c in result.curves.values() if c.evaluations.size)])
    return near_round(spent / 15), near_round(spent / 1.5)


def race_columns(result: RaceResult) -> list[list[str]]:
    """Return [key, heading, tooltip] of each column."""
    early, late = marks_of(result)
    return [
        ["reach", f"evaluations\nto reach {result.level:.2f}", "Gradient evaluations per chain until the accuracy"],
        ["early", f"accuracy after\n{early:,}", "Interpolated between two marks on a log scale", "accuracy"],
        ["late", f"accuracy after\n{late:,}", "A dash: the budget ended before"],
        ["bias", "remaining\nbias", "Error that more steps do not reduce"],
        ["cost", "cost per epoch\nas data arrive", "Evaluations against t, measured up to t = 100,000", "evaluations"],
        ["end", "accuracy\nat the end", "At the end of the budget"],
        ["evaluations", "evaluations\nspent",
         "Per chain, in the epoch. ◂: ended before its budget; a Pólya-Gamma draw takes as long as 25 gradients,"
         " a gradient of NUTS as five"],
        ["seconds", "seconds\nspent", "Of one core, per chain"],
        ["ess", "ESS per\nevaluation", "Effective draws of the worst coordinate, second half of the budget; ArviZ", "ESS"],
        ["rhat", "R-hat", "Nested R-hat (ArviZ) of four parts of the second half of the budget: above 1 while chains"
         " still move away from their common start. Largest over the coordinates.", "R-hat"],
        ["step", "step η", "Step size at this epoch"],
    ]


def race_rows(result: RaceResult, config: CompareConfig) -> list[list]:
    """Return [key, name, mark, token, bold, cells] of each selected sampler."""
    early, late = marks_of(result)
    rows = []
    for key, curve in result.curves.items():
        if key not in config.samplers:
            continue
        reached, at_early, at_late = (curve.reaches(result.level), curve.accuracy_after(early),
                                      curve.accuracy_after(late))
        some = curve.evaluations.size > 0
        never = ("never" if curve.fixed else "not yet" if not curve.finished else "not in budget") if some else "–"
        cells = [
            [rounded(reached) if reached is not None else never, reached],
            [accuracy(at_early), at_early], [accuracy(at_late), at_late],
            [_bias(key, result), _bias(key, result)],
            _growth(key, result),
            [accuracy(curve.accuracy[-1]), float(curve.accuracy[-1])] if some else ["–", None],
            [rounded(curve.evaluations[-1], 3) + (" ◂" if curve.cut else ""), float(curve.evaluations[-1])]
            if some else ["–", None],
            [lasted(curve.seconds[-1]), float(curve.seconds[-1])] if some else ["–", None],
            [tiny(curve.ess_per_evaluation), _finite(curve.ess_per_evaluation)],
            [f"{curve.rhat:.2f}" if math.isfinite(curve.rhat) else "–", _finite(curve.rhat)],
            [tiny(curve.step_size), _finite(curve.step_size)],
        ]
        row = marked(key, names_of(config))
        if curve.diverged or curve.trouble:
            row[1] += ": diverged"
        rows.append([*row, key == "saga", cells])
    return rows


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _bias(key: str, result: RaceResult) -> str:
    exact = key in ("laplace", "warm_laplace", "rvga")
    if exact and result.facts is not None and result.facts.kind in ("linear", "gaussian_mean"):
        return "none: it is a Gaussian"
    return CONTESTANTS[key].bias or "none"


def _growth(key: str, result: RaceResult) -> list:
    cost = result.costs.get(key)
    if CONTESTANTS[key].growth:
        return [CONTESTANTS[key].growth, 1.0]
    if cost is None or cost.slope is None:
        curve = result.curves[key]
        coming = result.facts.kind != "oracle" and not (curve.trouble or curve.diverged)
        return ["measured soon" if coming else "–", None]
    return [growth_of(cost.slope), cost.slope]


PAPER_COLUMNS = [
    ["printed", "printed in\nLMV-n", "On a machine of 2019, 0.1 s per epoch"],
    ["measured", "measured\nhere", "Mean over the data sets"],
    ["low", "lowest", "Over the data sets"], ["high", "highest", "Over the data sets"],
    ["short", "gap to its\nceiling", "Mean over the data sets; below 0 is noise", "ceiling"],
    ["evaluations", "evaluations\nin the epoch", "Per run"], ["seconds", "seconds\nin the epoch", "Of one core, per run"],
]


def paper_rows(figure: FigureOne | None) -> list[list]:
    """Return the rows of Figure 1's table."""
    rows = []
    for key in ("saga", "pg", "laplace", "mala", "online_laplace", "sgld", "sgld_same") if figure is not None else ():
        values, printed = figure.accuracy[key], figure.printed.get(key)
        short = float(figure.short_of_ceiling(key).mean())
        rows.append([*marked(key, FIGURE_ONE_NAMES), key == "saga", [
            [accuracy(printed), printed], [accuracy(values.mean()), float(values.mean())],
            [accuracy(values.min()), float(values.min())], [accuracy(values.max()), float(values.max())],
            [f"{short:.3f}".replace("-", "−"), short],
            [rounded(figure.evaluations[key], 3), figure.evaluations[key]],
            [lasted(figure.seconds[key]), figure.seconds[key]]]])
    return rows


def tables_columns(result: TablesResult) -> list[list[str]]:
    """Return the columns of the tables."""
    return [["slope", "slope", "Of log evaluations against log T, least squares, over three seeds; ± its standard error"],
            ["claim", "the papers’\nbound", "Dependence on T (or n), up to logarithms"],
            *[[f"t{t}", f"T = {t:,}", "Gradient evaluations per chain"] for t in result.sizes]]


def tables_rows(result: TablesResult) -> list[list]:
    """Return one row per sampler, with dashes if it never reached the accuracy."""
    rows = []
    for key in result.tried:
        growth = result.growth.get(key) or Growth(key, np.empty(0), np.empty(0))
        at = {int(t): float(e) for t, e in zip(growth.t, growth.evaluations, strict=True)}
        rows.append([*marked(key), key in ("saga", "ladder"), [
            [slope_words(growth.slope, growth.slope_error), growth.slope],
            [BOUNDS[result.config.table][key], BOUNDS[result.config.table][key]],
            *[[rounded(at.get(t), 3), at.get(t)] for t in result.sizes]]])
    return rows


def race_csv(result: RaceResult, config: CompareConfig) -> str:
    """Return CSV with one row per point of the curves; with the axis t, one per measured epoch."""
    table = Curves(result.costs if config.axis == "t" else result.curves).to_dataframe()
    table["sampler"] = [name_of(key, config) for key in table["sampler"]]
    if config.axis != "t":
        table["ceiling"] = result.facts.ceiling.mean
    return result_columns(table.to_dict("list"))


def figure_one_csv(figure: FigureOne) -> str:
    """Return CSV with one row per sampler and data set of Figure 1."""
    table = figure.to_dataframe()
    table["sampler"] = [sampler_look(key, PAPER).name for key in table["sampler"]]
    return result_columns(table.to_dict("list"))


def tables_csv(result: TablesResult) -> str:
    """Return CSV with one row per sampler and T."""
    table = Curves(result.growth).to_dataframe()
    table["slope"] = [result.growth[key].slope for key in table["sampler"]]
    table["slope standard error"] = [result.growth[key].slope_error for key in table["sampler"]]
    return result_columns(table.to_dict("list"))


def content_of(config: CompareConfig, race: RaceResult | None, figure: FigureOne | None,
               tables: TablesResult | None, running: bool = False) -> tuple[dict, dict]:
    """Return the parameters of the view's table and of its text; ``running``: whether a job is running."""
    if config.view == "paper":
        return ({"columns": PAPER_COLUMNS, "rows": paper_rows(figure), "title": "Figure 1",
                 "subtitle": "eight data sets, the last epoch run 1,000 times"},
                {"heading": race_words.paper_headline(figure), "body": race_words.paper_body(figure)})
    if config.view == "tables":
        tables = tables or TablesResult(config, ())
        return ({"columns": tables_columns(tables), "rows": tables_rows(tables), "subtitle": "of one chain",
                 "title": "Evaluations to reach the accuracy"},
                {"heading": race_words.tables_headline(tables), "body": race_words.tables_body(tables)})
    race = race or RaceResult(config)
    return ({"columns": race_columns(race), "rows": race_rows(race, config), "title": "Samplers",
             "subtitle": "a click on a heading sorts"},
            {"heading": race_words.headline(race, config, running), "body": race_words.body(race, config, running)})
