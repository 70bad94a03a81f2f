"""Figures have the values of results, each in its role; empty and broken results are drawn or raise clear errors."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from bokeh.document import Document

from app import plots
from app.plots.method_map import SHORT
from sampler.racing import EpochCost, Growth, RaceCurve
from sampler.theory import exit_bounds
from sampler.tuning import CellKey
from tests.app.plots.figures import (
    AT,
    FIGURES,
    RACE,
    SIZES,
    cells,
    coresets,
    forecasts,
    map_of_cells,
    methods,
    offline,
    split,
    stay,
    sums,
)


def line(figure, name: str):
    return next(one for one in figure.data if one.name == name)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_finite_limits_plain_labels_and_is_refreshed_without_a_new_model(name):
    figure = FIGURES[name]()
    plot, document = plots.to_plot(figure), Document()
    document.add_root(plot.state)
    for reach in (plot.state.x_range, plot.state.y_range):
        assert np.isfinite([reach.start, reach.end]).all() and reach.start < reach.end
    labels = [axis.axis_label or "" for axis in (*plot.state.xaxis, *plot.state.yaxis)]
    assert not [words for words in labels if set(words) & set("$\\_{}^")]
    before = set(document.models)
    plots.refresh(plot, figure)
    assert set(document.models) == before


def test_race():
    figure = plots.race(RACE, SimpleNamespace(mean=0.922, sd=0.004))
    ours = line(figure, "SAGA-LD")
    np.testing.assert_array_equal(ours.y, RACE["saga"].accuracy)
    np.testing.assert_array_equal(ours.x, RACE["saga"].evaluations)
    assert (ours.role, ours.bold, ours.key) == ("ours", True, "saga") and ours is figure.data[-1]
    ceiling = line(figure, "exact draws")
    np.testing.assert_allclose([ceiling.low[0], ceiling.high[0]], [0.914, 0.930])
    assert "300,000 evaluations" in ours.tooltip[-1] and "accuracy 0.9" in ours.tooltip[-1]
    assert line(figure, "Full Laplace").label == "Full Laplace 0.908"
    np.testing.assert_allclose(line(plots.race(RACE, cost="seconds"), "SAGA-LD").x, RACE["saga"].seconds)
    assert line(plots.race(RACE, names={"sgld": "SGLD, the paper’s step"}), "SGLD, the paper’s step").role == "rival"
    assert plots.to_plot(plots.race(RACE, log=False)).state.x_range.start == 0
    assert plots.race({"saga": RaceCurve("saga", *(np.empty(0),) * 4, 1e-4, 64.0)}).data == ()  # a race without results
    with pytest.raises(ValueError, match="cost must be one of evaluations, seconds; got 'watts'"):
        plots.race(RACE, cost="watts")


def test_cost_growth_fits_a_line_through_measured_points():
    figure = plots.cost_growth({"saga": Growth("saga", SIZES, 5.0 * SIZES**0.5)})
    fit = line(figure, "SAGA-LD, fit")
    np.testing.assert_allclose(fit.y, 5 * SIZES**0.5)
    assert fit.label == "SAGA-LD 0.50" and line(figure, "SAGA-LD").mark == "spots"
    few = plots.cost_growth({"saga": Growth("saga", SIZES[:2], SIZES[:2] * 1.0)})
    epochs = plots.cost_growth({"mala": EpochCost("mala", 9, SIZES, SIZES * 1.0, SIZES * 1e-6)})
    assert line(few, "SAGA-LD").label == "SAGA-LD" and line(epochs, "MALA").label == "MALA 1.00"


def test_survival_and_bounds():
    chains = stay(0.08)
    curves = exit_bounds(2, 5e-5, 10_000, 2.5, smoothness=0.0)
    figure = plots.survival(chains) * plots.bounds(curves, "sharp", "printed", measured=chains)
    np.testing.assert_array_equal(line(figure, "chains").y, chains.share)
    np.testing.assert_array_equal(line(figure, "chains").low, chains.low)
    assert {one.name: one.role for one in figure.data} == {"chains": "ours", "ours": "bound", "as printed": "bound"}
    assert line(figure, "as printed").label.endswith("above the truth: no bound")
    assert line(figure, "ours").bold
    low, _ = figure.opts.get("plot", backend="bokeh").kwargs["ylim"]
    assert low <= line(figure, "ours").y[-1]
    nothing = plots.bounds({"sharp": np.ones(AT.size)}, steps=AT)
    assert nothing.data[0].label == "ours 0\ntrue but vacuous"
    with pytest.raises(ValueError, match="steps must be an array with a dict of curves"):
        plots.bounds({"sharp": AT * 0.0})
    with pytest.raises(ValueError, match="which must be among printed, corrected, sharp, local, rotation; got 'blunt'"):
        plots.bounds({"sharp": AT * 0.0}, "blunt", steps=AT)


def test_paths_end_at_their_exit_with_a_ring():
    squares = np.array([[0.0, 0.2, 0.4], [0.0, 0.9, np.nan]])
    crowd = SimpleNamespace(path_steps=np.array([0, 10, 20]), paths=squares, path_exits=np.array([0, 14]), chains=7,
                            radius=1.0)
    figure = plots.paths(crowd, end=20)
    inside, gone = (one for one in figure.data if one.mark == "line" and one.key is not None)
    assert (inside.role, inside.key, gone.role, gone.key) == ("ours", 0, "exit", 1)
    assert gone.x.tolist() == [0, 10, 14] and gone.y.tolist() == [0, 0.9, 1]
    ring = next(one for one in figure.data if one.mark == "open")
    assert (ring.x.tolist(), ring.y.tolist(), ring.key) == ([14], [1], 1)
    roots = plots.paths(crowd, squared=False)
    np.testing.assert_allclose(roots.data[0].y, np.sqrt([0, 0.2, 0.4]))


def test_sums():
    one, figure = split(), sums()
    assert figure.kdims[0].label == "step i: chain 12 leaves at step 7,200"
    pull = line(figure, "pull")
    np.testing.assert_allclose(pull.y, one.parts.running("pull")[pull.x.astype(int)])
    assert pull.x.size == 401 and f"this step −{-one.parts.pull[53]:.6f}" in pull.tooltip[3]


def test_pushes_leave_out_bins_without_precision():
    x = np.array([0.5, 1.0, 1.5, 2.0])
    pushes = SimpleNamespace(distance=x, count=np.array([1000, 10, 1000, 1000]), square=np.array([2, 2, 2, np.nan]),
                             square_error=np.array([0.1, 0.1, 9.0, 0.1]))
    shown = line(plots.pushes(pushes, 2, 2.5), "mean push")
    assert shown.x.tolist() == [0.2] and (shown.low[0], shown.high[0]) == (1.8, 2.2)


def test_tuning_map_has_a_box_per_setting():
    figure = map_of_cells()
    boxes = {cell.key: cell for cell in figure.data if cell.key is not None}
    assert set(boxes) == set(forecasts())
    assert boxes[CellKey(9.7, 160, 9)].text == "×" and boxes[CellKey(9.7, 160, 9)].edge == "hot"
    assert boxes[CellKey(0.033, 5, 9)].dashed and "not run yet" in boxes[CellKey(0.033, 5, 9)].tooltip
    early = boxes[CellKey(5.5, 40, 9)]  # its measurement on the first rows must not make it the best
    assert early.text.startswith("(") and early.shade <= 0.25 and early.ink == "reference"
    assert boxes[CellKey(5.5, 40, 9)].hatch == "/" and "given up after 64 rows" in boxes[CellKey(5.5, 40, 9)].tooltip
    good, cold = (boxes[CellKey(eta0, 40, 9)] for eta0 in (0.57, 0.033))
    assert "predicted 0." in good.tooltip and good.shade > cold.shade
    assert figure.data[figure.ringed].key == CellKey(0.32, 80, 9)
    words = [note.text for note in figure.notes]
    assert {"too cold", "safe", "too hot", "★", "720"} <= set(words)
    assert [note.ink for note in figure.notes if note.text.startswith(("too", "safe"))] == ["cold", "safe", "hot"]
    assert words.count("◣") == sum(abs(cell.memory) > 0.5 and cell.diverged is None for cell in cells())


def test_a_map_of_one_cell_and_of_none():
    one = [cell for cell in cells() if cell.eta0 == 0.57 and cell.i_max == 40]
    figure = plots.tuning_map(SimpleNamespace(cells=one, best=one[0]))
    assert figure.data[0].key == CellKey(0.57, 40, 9) and figure.ringed == 0
    with pytest.raises(ValueError, match="cells or forecasts must have an entry"):
        plots.tuning_map([])
    with pytest.raises(ValueError, match="batch_size must be one that was tried, 9; got 64"):
        plots.tuning_map(cells(), 64)


def test_each_algorithm_has_a_separate_map_and_row_and_both_share_the_costs():
    plain = [SimpleNamespace(**{**vars(cell), "algorithm": "saga-ld"}) for cell in cells()]
    whitened = [SimpleNamespace(**{**vars(cell), "algorithm": "preconditioned", "eta0": cell.eta0 / 10}) for cell in cells()]
    chosen = CellKey(0.57 / 10, 40, 9, "preconditioned")
    figure = plots.tuning_map(plain + whitened, chosen=chosen, ceiling=0.946)
    boxes = [box for box in figure.data if box.key is not None]
    assert len(boxes) == len(whitened) and figure.data[figure.ringed].key == chosen
    assert all(box.key.algorithm == "preconditioned" and box.tooltip.startswith("preconditioned, η₀") for box in boxes)
    assert "whitened" in figure.kdims[0].label
    assert len([box for box in plots.tuning_map(plain + whitened).data if box.key is not None]) == len(plain)
    row = plots.tuning_slice(plain + whitened, 40, 9, chosen=chosen[0], algorithm="preconditioned")
    assert {one.key.algorithm for one in row.data if one.name == "measured"} == {"preconditioned"}
    spots = plots.accuracy_against_cost(plain + whitened, verdicts={chosen: "safe"}, chosen=chosen)
    marks = {one.key.algorithm: one.mark for one in spots.data if one.key is not None}
    assert marks["preconditioned"] == "diamond" and marks["saga-ld"] != "diamond"


def test_forecast_draws_where_accuracy_falls_below_the_ceiling():
    etas, lengths = np.geomspace(0.1, 10, 21), np.array([10.0, 100.0])
    figure = plots.forecast(np.tile(np.linspace(0.7, 0.94, 21), (2, 1)), etas, lengths, 0.946)
    assert [one.label for one in figure.data] == [".80", ".90", ".93"]
    level = np.interp(np.log(figure.data[0].x), np.log(etas), np.linspace(0.7, 0.94, 21))
    np.testing.assert_allclose(level, 0.80, atol=1e-6)
    eta = figure.data[0].x[0]
    apart = plots.forecast(np.tile(np.linspace(0.7, 0.94, 21), (2, 1)), etas, lengths, 0.946,
                           ((eta / 3, eta, 3 * eta), (10.0, 100.0))).data[0]
    gap = np.isnan(apart.y)  # room for the number in the middle of a cell
    assert gap[[0, -1]].all() and not gap[len(gap) // 2] and apart.label == ".80"
    with pytest.raises(ValueError, match="surface must have a row per length"):
        plots.forecast(np.zeros((3, 3)), etas, lengths, 0.9)


def test_tuning_slice():
    figure = plots.tuning_slice(cells(), 40, 9, predicted=([0.1, 1.0], [0.9, 0.94]), chosen=0.57)
    drawn = [one for one in figure.data if one.name == "measured"]
    expected = [cell for cell in cells() if cell.i_max == 40 and cell.diverged is None and cell.accuracy >= 0.946 - 0.25]
    assert [one.y[0] for one in drawn] == [cell.accuracy for cell in expected]
    assert {one.mark for one in drawn} == {"spots", "open"} and drawn[0].key == CellKey(expected[0].eta0, 40, 9)
    assert line(figure, "looked at").x.tolist() == [0.57]
    assert plots.to_plot(plots.tuning_slice([], 40, 9, ceiling=0.9)).state is not None


def test_chains_outside_the_largest_ball_are_exits():
    positions = np.array([[0.0, 0.1, 5.0], [3.0, 0.0, 0.0], [np.nan, 0.0, 0.0]])
    figure = plots.chains(positions, mode=(0, 0, 0), balls={"ball": 2.0})
    assert line(figure, "chains outside").x.tolist() == [3.0]
    np.testing.assert_allclose(np.hypot(line(figure, "ball").x, line(figure, "ball").y), 2.0)
    with pytest.raises(ValueError, match=r"positions must be \(K, d\) with d at least 2; got shape \(4,\)"):
        plots.chains(np.zeros(4))


def test_convergence_and_likelihood():
    curves = offline()
    figure = plots.convergence(curves, top=3.0)
    np.testing.assert_allclose(line(figure, "SAGA-LD").y, curves["saga"].exact[1:])
    np.testing.assert_array_equal(line(figure, "SAGA-LD, chains").high, curves["saga"].high)
    assert (line(figure, "SGLD").role, line(figure, "exact draws").y[0]) == ("rival", 0.03)
    scored = plots.likelihood(curves, mode=0.31)
    np.testing.assert_allclose(line(scored, "SVRG-LD").low, (curves["svrg"].mean - curves["svrg"].deviation)[1:])
    assert plots.to_plot(plots.likelihood(curves, log=False)).state.x_range.start == 0
    curves["sgld"].exact[30:] = np.inf
    gone = line(plots.convergence(curves, top=3.0), "SGLD").y
    assert np.isnan(gone[-1]) and np.isfinite(gone[0])
    family = {"SGLD": curves["sgld"], "SVRG-LD+ B = n/5": curves["plus"], "my own": curves["uld"]}
    roles = {one.name: one.role for one in plots.convergence(family).data if one.mark != "spots"}
    assert (roles["SGLD"], roles["SVRG-LD+ B = n/5"], roles["my own"]) == ("rival", "kin", "reference")


def test_ladder():
    figure = plots.ladder([0.25, 0.5, 1.0], [0.9, 0.91], [0.94, 0.94], [0.01, 0.01], plain=0.8, widths=[1.0, 1.1])
    assert line(figure, "chains").y.tolist() == [0.9, 0.91]
    assert "width against the target 1.10" in line(figure, "chains").tooltip[1]
    assert line(figure, "no ladder").role == "rival"
    assert plots.to_plot(plots.ladder([1.0], [], [], [])).state is not None
    cost = plots.ladder_cost(np.arange(4.0), np.array([0, 10.0, 20, 30]), np.array([0, 100.0, 200, 300]), now=2)
    assert line(cost, "Algorithm 3, so far").x.tolist() == [0, 1, 2] and line(cost, "now").y.tolist() == [20.0]


def test_coreset_scores_have_their_floor_and_the_noise_of_the_truth():
    ours = coresets()["hot_dog"]
    figure = plots.coreset_scores({"hot_dog": ours}, lambda t: 3 / t)
    np.testing.assert_array_equal(line(figure, "Hot DoG").y, ours.z)
    assert (line(figure, "Hot DoG").role, line(figure, "Hot DoG").bold) == ("ours", True)
    assert line(figure, "floor").y[-1] == pytest.approx(3 / ours.t)
    least = float(ours.z.min())
    assert "truth noise" not in [one.name for one in plots.coreset_scores({"hot_dog": ours}, truth_noise=1e-9).data]
    assert line(plots.coreset_scores({"hot_dog": ours}, truth_noise=least), "truth noise").y.tolist() == [least] * 2


def test_cold_runs_are_dashed_and_marks_show_the_hot_start():
    runs = {"hot_dog": coresets()["hot_dog"], "hot_dog, cold": coresets()["dog"]}
    figure = plots.coreset_scores(runs, shown="hot_dog, cold")
    assert line(figure, "Hot DoG, cold").mark == "dash" and line(figure, "Hot DoG, cold").bold
    marks = [one for one in figure.data if one.mark == "diamond"]
    assert marks[0].x.tolist() == [60] and "hot start passed at 60" in marks[0].tooltip[0]
    assert line(plots.hot_start(runs), "every optimizer").label == "all"


def test_coreset_points_have_areas_of_weights():
    weights = np.array([1.0, 4.0, 0.0, 1e9])
    figure = plots.coreset_points(np.arange(4.0), np.arange(4.0), weights, positive=[False, False, False, True])
    points = line(figure, "coreset points")
    assert points.size.tolist() == [7.0, 14.0] and line(figure, "coreset points, label 1").size.tolist() == [46.0]
    assert line(figure, "weight 0").x.tolist() == [2.0]


def test_log_scores_leave_out_blocks_without_a_score():
    figure = plots.log_scores(np.arange(4.0), np.array([np.nan, -0.5, -0.6, -0.4]), [2.0])
    assert line(figure, "blocks").x.tolist() == [1, 2, 3] and line(figure, "drift alarm").role == "exit"
    assert plots.log_scores(np.arange(3.0), np.full(3, np.nan)).data == ()


def test_method_map_has_one_row_per_method_best_rank_first_and_a_star_for_the_cheapest():
    def box(figure, row, t, regime="rare"):  # rows go down from 0; 18 boxes per row, three per regime
        at = 18 * row + 3 * list(SHORT).index(regime) + (100, 1_000, 10_000).index(t)
        return figure.data[at]

    figure = plots.method_map(methods(), 2)
    assert len(figure.data) == 3 * 18
    mala, saga, pg = (box(figure, row, 100) for row in range(3))
    assert [one.text for one in (mala, saga, pg)] == [".05", "★", ".10"]  # pg is cheaper, but good in half of the seeds only
    assert mala.shade == saga.shade == pg.shade == 1.0 and (mala.hatch, pg.hatch) == (" ", "/")  # its widths are off
    assert saga.tooltip.splitlines()[-1] == "good enough in 4 of 4 seeds: the cheapest"
    assert "mean .05 sd, limit 0.12" in mala.tooltip and "1,000,000 gradients, 3 s per datum" in mala.tooltip
    assert box(figure, 2, 1_000).text == "★"
    empty = box(figure, 0, 10_000)
    assert (empty.text, empty.dashed) == ("", True) and "not run" in empty.tooltip
    wide = plots.method_map(methods(), 11)
    far, lost, refused = box(wide, 1, 1_000), box(wide, 0, 100), box(wide, 2, 100)
    assert far.text == "3.0" and 0 < far.shade < box(wide, 1, 100).shade < 1
    assert (lost.text, lost.shade, refused.text) == ("∞", 0.0, "–") and "cannot" in refused.tooltip
    ticks = figure.opts.get("plot", backend="bokeh").kwargs["yticks"]
    assert ticks == [(-2, "Pólya-Gamma"), (-1, "SAGA-LD"), (0, "MALA")]
    assert all(one.dashed for one in plots.method_map(methods(), 23).data)  # not measured
