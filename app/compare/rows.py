"""The rows of the page's table: of a race, of Figure 1, of the tables."""

from __future__ import annotations

import math

from app.compare.charts.paper_scene import row_name
from app.compare.charts.tables_scene import OTHER, tables_name
from app.compare.config import CompareConfig
from app.compare.numbers import lasted, nice, rounded, share, slope_words, tiny
from app.compare.picture import PaperPicture, RacePicture, TablesPicture
from app.compare.samplers import LOOKS, name_of
from sampler.racing import CONTESTANTS

Cell = list


def marks_of(picture: RacePicture) -> tuple[int, int]:
    """Return the two budgets after which accuracies are read: 20,000 and 200,000 of 300,000."""
    spent = max(picture.spent, 100.0)
    return nice(spent / 15), nice(spent / 1.5)


def race_columns(picture: RacePicture) -> list[list[str]]:
    """Return [key, heading, hint] of each column."""
    early, late = marks_of(picture)
    return [
        ["reach", f"evaluations\nto reach {picture.level:.2f}", "Gradient evaluations a chain until the accuracy"],
        ["early", f"accuracy after\n{early:,}", "Between two marks on a log scale"],
        ["late", f"accuracy after\n{late:,}", "A dash: its budget ended before"],
        ["bias", "bias that\nremains", "What more steps do not mend"],
        ["cost", "cost an epoch\nas data arrive", "Evaluations against t, measured up to t = 100,000"],
        ["end", "accuracy\nat the end", "When the budget was spent"],
        ["evaluations", "evaluations\nspent",
         "A chain, in the epoch. ◂ ended before its budget: a Pólya-Gamma draw takes as long as 25 gradients"],
        ["seconds", "seconds\nspent", "Of one core, a chain"],
        ["ess", "ESS an\nevaluation", "Effective draws of the worst coordinate, second half of the budget; ArviZ"],
        ["rhat", "R-hat", "Largest over the coordinates, second half of the budget; ArviZ. Chains from one start."],
        ["step", "step η", "Step size at this epoch"],
    ]


def race_rows(picture: RacePicture, config: CompareConfig) -> list[list]:
    """Return [key, name, mark, token, bold, cells] of each sampler that is switched on."""
    early, late = marks_of(picture)
    rows = []
    for key, curve in picture.curves.items():
        if key not in config.samplers:
            continue
        look = LOOKS[key]
        reached, at_early, at_late = (curve.reaches(picture.level), curve.accuracy_after(early),
                                      curve.accuracy_after(late))
        some = curve.evaluations.size > 0
        never = ("never" if curve.fixed else "not yet" if not curve.finished else "not in budget") if some else "–"
        cells: list[Cell] = [
            [rounded(reached) if reached is not None else never, reached],
            [share(at_early), at_early], [share(at_late), at_late],
            [_bias(key, picture), _bias(key, picture)],
            _growth(key, picture),
            [share(curve.accuracy[-1]), float(curve.accuracy[-1])] if some else ["–", None],
            [rounded(curve.evaluations[-1], 3) + (" ◂" if curve.cut else ""), float(curve.evaluations[-1])]
            if some else ["–", None],
            [lasted(curve.seconds[-1]), float(curve.seconds[-1])] if some else ["–", None],
            [tiny(curve.ess_per_evaluation), _known(curve.ess_per_evaluation)],
            [f"{curve.rhat:.2f}" if math.isfinite(curve.rhat) else "–", _known(curve.rhat)],
            [tiny(curve.step_size), _known(curve.step_size)],
        ]
        name = name_of(key, config.paper_step)
        if curve.diverged or curve.trouble:
            name += ": diverged"
        rows.append([key, name, look.mark, look.token, key == "saga", cells])
    return rows


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _bias(key: str, picture: RacePicture) -> str:
    if key == "laplace" and picture.ground is not None and picture.ground.problem.kind in ("linear", "gaussian_mean"):
        return "none: it is a Gaussian"
    return CONTESTANTS[key].bias or "none"


def _growth(key: str, picture: RacePicture) -> Cell:
    cost = picture.costs.get(key)
    if cost is None or cost.slope is None:
        curve = picture.curves[key]
        coming = picture.ground.problem.kind != "oracle" and not (curve.trouble or curve.diverged)
        return ["measured soon" if coming else "–", None]
    return [slope_words(cost.slope), cost.slope]


PAPER_COLUMNS = [
    ["printed", "printed in\nLMV-n", "Its 2019 machine had 0.1 s an epoch"],
    ["measured", "measured\nhere", "Mean over the data sets"],
    ["low", "lowest", "Over the data sets"], ["high", "highest", "Over the data sets"],
    ["short", "short of its\nceiling by", "Mean over the data sets"],
    ["evaluations", "evaluations\nin the epoch", "A run"], ["seconds", "seconds\nin the epoch", "Of one core, a run"],
]


def paper_rows(picture: PaperPicture) -> list[list]:
    """Return the rows of Figure 1's table."""
    figure = picture.figure
    rows = []
    for key in ("saga", "pg", "laplace", "mala", "online_laplace", "sgld", "sgld_same") if figure is not None else ():
        look, values, printed = LOOKS[key], figure.accuracy[key], figure.printed.get(key)
        short = float(figure.short_of_ceiling(key).mean())
        rows.append([key, row_name(key), look.mark, look.token, key == "saga", [
            [share(printed), printed], [share(values.mean()), float(values.mean())],
            [share(values.min()), float(values.min())], [share(values.max()), float(values.max())],
            [f"{short:.3f}".replace("-", "−"), short],
            [rounded(figure.evaluations[key], 3), figure.evaluations[key]],
            [lasted(figure.seconds[key]), figure.seconds[key]]]])
    return rows


CLAIMS = {
    "online": {"saga": "polylog(T)", "sgld_quiet": "T", "ula": "T", "mala": "–", "rwm": "T", "saga_fixed": "T",
               "cv_uld": "T"},
    "fixed": {"ladder": "T + poly, LMV", "saga_fixed": "T + poly", "svrg": "n + √n, ZXG", "svrg_plus": "(n + √n) ∧ σ², ZXG",
              "cv_uld": "T + poly", "sgld_quiet": "T × poly; σ²/ε², ZXG", "ula": "T × poly", "rwm": "T × poly"},
}
"""What LMV Tables 1 and 2 and ZXG Table 1 say of each."""


def tables_columns(picture: TablesPicture) -> list[list[str]]:
    """Return the columns of the tables."""
    return [["slope", "slope", "Of log evaluations against log T, least squares"],
            ["claim", "the papers’\nbound", "Dependence on T (or n), up to logarithms"],
            *[[f"t{t}", f"T = {t:,}", "Gradient evaluations a chain"] for t in picture.sizes]]


def tables_rows(picture: TablesPicture) -> list[list]:
    """Return a row a sampler; one that never reached the accuracy has dashes."""
    rows = []
    for key in picture.tried:
        _, mark, token = OTHER.get(key) or (LOOKS[key].name, LOOKS[key].mark, LOOKS[key].token)
        found = picture.growth.get(key)
        at = {} if found is None else {int(t): float(e) for t, e in zip(found.t, found.evaluations, strict=True)}
        slope = None if found is None else found.slope
        rows.append([key, tables_name(key), mark, token, key in ("saga", "ladder"), [
            [f"{slope:.2f}".replace("-", "−") if slope is not None else "–", slope],
            [CLAIMS[picture.table][key], CLAIMS[picture.table][key]],
            *[[rounded(at.get(t), 3), at.get(t)] for t in picture.sizes]]])
    return rows
