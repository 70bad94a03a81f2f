import contextlib
import sqlite3

import numpy as np
import pytest

from sampler import GradientOracle, LogisticRegression, Settings, Sweep
from sampler import threads as pool
from sampler.tuning import Grid, around, spaced, sweep_cell, verdict_of, workers
from sampler.tuning.best_cell import best_cell
from sampler.tuning.settings_grid import parse_values
from sampler.tuning.sweep_cell import CellResult, run_cell
from sampler.tuning.sweep_reference import judged_epochs, make_reference

GRID = Grid((0.03, 0.3, 1.0), (4, 30), (9,), (100.0,))


def sweep(rows, grid=GRID, **options):
    return Sweep(LogisticRegression(2), *rows, grid, **{"chains": 16, "workers": 0, "seed": 5, "reference": "laplace",
                                                               **options})


def numbers(cells):
    """Return all fields but wall time, by setting and rung."""
    return {(c.eta0, c.i_max, c.rung): tuple(v for k, v in c.to_dict().items() if k != "seconds") for c in cells}


@pytest.fixture(scope="module")
def plain(rows):
    seen = []
    outcome = sweep(rows, prune=False).run(on_cell=lambda cell, finished: seen.append((cell, finished)))
    return outcome, seen


def test_every_cell_is_run_to_the_end_and_reports_its_rungs(plain):
    outcome, seen = plain
    assert outcome.ended == "finished" and len(outcome.cells) == 6
    assert {c.rung for c in outcome.cells} == {2} and {c.rows for c in outcome.cells} == {256}
    assert len(seen) == 18 and sum(finished for _, finished in seen) == 6
    assert outcome.best in outcome.cells


def test_a_cell_uses_one_core(rows, plain, monkeypatch):
    monkeypatch.setattr(pool, "_default", 5)
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # any work would be shared
    monkeypatch.setattr(pool._pool, "submit", lambda *_: pytest.fail("handed to a thread"))
    assert numbers(sweep(rows, Grid(0.3, 4, 9, 100.0), prune=False).run().cells).items() <= numbers(plain[0].cells).items()


def test_a_cell_measures_accuracy_width_memory_and_cost(rows, plain):
    good = next(c for c in plain[0].cells if (c.eta0, c.i_max) == (1.0, 30))
    assert abs(good.accuracy - good.ceiling) < 0.05 and abs(good.width - 1) < 0.2 and good.memory < 0.5
    # Two gradients per epoch (the new one and, on average, one refresh) and 15.5 steps of 9.
    assert good.cost == pytest.approx(2 + 15.5 * 9, rel=0.03)
    cold = next(c for c in plain[0].cells if (c.eta0, c.i_max) == (0.03, 4))
    assert cold.memory > 0.8 and cold.accuracy < good.accuracy
    assert good.exit_rate is None
    counted = sweep(rows, Grid(0.3, 30, 9, 100.0), escape_radius=0.01, prune=False).run().cells[0]
    assert counted.exit_rate > 0.99


def test_a_stopped_sweep_resumes_without_losing_a_finished_cell(rows, plain, tmp_path):
    storage = str(tmp_path / "trials.db")
    seen, counts = [], []
    while True:
        part = []
        outcome = sweep(rows, storage=storage, prune=False, parallel=2).run(
            on_cell=lambda cell, finished, part=part: part.append((cell, finished)),
            stop=lambda part=part: sum(finished for _, finished in part) > len(counts) + 1)
        counts.append(len(outcome.cells))
        if outcome.ended == "finished":
            break
        assert outcome.ended == "cancelled"
        seen.append(outcome)
    assert counts == sorted(counts) and len(counts) > 2
    assert numbers(outcome.cells) == numbers(plain[0].cells)
    with contextlib.closing(sqlite3.connect(storage)) as file:
        tables = {name for name, in file.execute("select name from sqlite_master where type='table'")}
    assert {"studies", "trials"} <= tables  # as Optuna's dashboard requires


def test_cells_running_when_the_process_died_are_run_again(rows, plain, tmp_path):
    from sampler.tuning.optuna_study import Study

    storage = str(tmp_path / "trials.db")
    one = sweep(rows, storage=storage, prune=False)
    study = Study(storage, "sweep", one.identity(), one.grids, one.settings, prune=False)
    study.ask(one.settings.replace(**GRID.cells[0]))  # left running by a killed process
    study.study.enqueue_trial(GRID.cells[1])  # waiting
    outcome = sweep(rows, storage=storage, prune=False).run()
    assert numbers(outcome.cells) == numbers(plain[0].cells)


def test_a_study_of_another_sweep_is_refused(rows, tmp_path):
    storage = str(tmp_path / "trials.db")
    grid = Grid(0.3, 4, 9, 100.0)
    sweep(rows, grid, storage=storage).run()
    other = (rows[0] + 1e-9, rows[1])
    for changed, words in ((sweep(other, grid, storage=storage), "with data ="),
                           (sweep(rows, grid, storage=storage, seed=6), "with seed = 5, this one has 6"),
                           (sweep(rows, grid, storage=storage, chains=17), "chains")):
        with pytest.raises(ValueError, match=words):
            changed.run()
    with pytest.raises(ValueError, match="storage: .* cannot be opened"):
        sweep(rows, grid, storage="nosuch://database").run()


def test_pruning_changes_no_number_and_prunes_no_cell_within_noise_of_the_best(rows, plain):
    everything = [cell for cell, _ in plain[1]]
    pruned = sweep(rows, order=lambda settings: settings.eta0).run().cells
    assert numbers(pruned).items() <= numbers(everything).items()
    lost = [cell for cell in pruned if cell.rung < 2]
    assert lost
    for cell in lost:
        best = max(other.accuracy for other in everything if other.rung == cell.rung)
        assert cell.accuracy < min(best, cell.ceiling) - 2 * cell.ceiling_sd


def test_if_all_promoted_cells_diverge_the_best_pruned_one_runs_to_the_end(rows, monkeypatch, tmp_path):
    scores = {1.0: (0.9, 0.9, None), 0.3: (0.5, 0.6, 0.7), 0.1: (0.4, 0.5, None), 0.03: (0.2, 0.3, 0.4)}

    def fake(job, settings, rung):
        score = scores[settings.eta0][rung]
        return result(settings.eta0, score or 0.0, 100, rung=rung, diverged=None if score else (0, 200, 1))

    monkeypatch.setattr(workers, "run_cell", fake)
    storage = str(tmp_path / "trials.db")
    one = sweep(rows, Grid((0.03, 0.1, 0.3, 1.0), 10, 9, 100.0), storage=storage, order=lambda s: s.eta0)
    outcome = one.run()
    assert outcome.best.eta0 == 0.3 and outcome.best.accuracy == 0.7
    assert one.run().best.eta0 == 0.3  # and is stored
    scores[0.3] = (0.5, 0.6, None)
    assert sweep(rows, Grid((0.1, 0.3, 1.0), 10, 9, 100.0), order=lambda s: s.eta0).run().best is None


def test_the_best_of_a_grid_runs_to_the_end_although_an_earlier_grid_was_better(rows, monkeypatch, tmp_path):
    scores = {1.0: 0.9, 0.3: 0.89, 0.1: 0.5, 0.03: 0.4}
    monkeypatch.setattr(workers, "run_cell",
                        lambda job, settings, rung: result(settings.eta0, scores[settings.eta0], 100, rung=rung))
    storage = str(tmp_path / "trials.db")
    assert sweep(rows, Grid((0.3, 1.0), 10, 9, 100.0), storage=storage).run().best.eta0 == 1.0
    for again in range(2):  # all of the second grid are pruned against the first: the better one runs to the end, once
        seen = []
        outcome = sweep(rows, Grid((0.03, 0.1), 10, 9, 100.0), storage=storage).run(
            on_cell=lambda cell, finished, seen=seen: seen.append(cell))
        assert {cell.eta0: cell.rung for cell in outcome.cells}[0.1] == 2 and outcome.best.eta0 == 1.0
        assert {cell.eta0: cell.rung for cell in outcome.cells}[0.03] == 0
        assert again == 0 or len(seen) == len(outcome.cells)  # nothing was run again


def test_a_file_can_be_read_while_its_sweep_is_running(rows, tmp_path):
    storage, seen = str(tmp_path / "trials.db"), []
    one = sweep(rows, storage=storage, prune=False)
    assert one.saved().cells == []

    def look(cell, finished):
        if finished:
            seen.append(len(sweep(rows, storage=storage, prune=False).saved().cells))

    outcome = one.run(on_cell=look)
    assert outcome.reference == {"method": "laplace", "ess": None, "fits": []}
    assert seen == [1, 2, 3, 4, 5, 6]  # reading fails no trial
    assert numbers(one.saved().cells) == numbers(outcome.cells)
    saved = one.saved()
    assert (saved.ended, saved.best, saved.reference) == ("finished", outcome.best, outcome.reference)
    assert sweep(rows, storage=storage, seed=6).saved().cells == []


def test_progress_counts_cells_and_estimates_the_time_left(rows):
    reports = []
    sweep(rows, prune=False).run(on_progress=reports.append)
    assert reports[0].words == "computing the reference" and reports[0].seconds_left is None  # no estimate yet
    assert all(0.0 <= p.share <= 1.0 for p in reports) and reports[-1].words == "trying settings"
    assert [p.done for p in reports] == sorted(p.done for p in reports) and reports[-1].done == reports[-1].total == 6
    assert reports[-1].seconds_left == 0.0


@pytest.mark.parametrize(("change", "words"), [
    ({"chains": 2}, "chains"), ({"sampler": "random"}, "sampler must be"), ({"workers": -1}, "workers"),
    ({"reference": "exact"}, "method must be one of"), ({"scheduler": "tcp://127.0.0.1:1"}, "scheduler"),
])
def test_bad_arguments_are_refused(rows, change, words, monkeypatch):
    monkeypatch.setattr(workers, "CONNECT_TIMEOUT", 0.5)
    with pytest.raises(ValueError, match=words):
        sweep(rows, Grid(0.3, 4, 9, 100.0), **change).run()
    with pytest.raises(ValueError, match="16 rows or more to tune on, got 1"):
        sweep((rows[0][:1], rows[1][:1]))


def result(eta0, accuracy, cost, memory=0.1, rung=2, diverged=None, width=1.0):
    return CellResult(eta0, 10, 9, 100.0, rung, 100, accuracy, 0.946, 0.001, width, 0.0, memory, 0.0, 0.0, cost, 1.0,
                      diverged, narrowest=width, widest=width)


def test_the_cheapest_accurate_cell_is_chosen():
    cells = [result(1, 0.944, 500), result(2, 0.941, 100), result(3, 0.930, 10), result(4, 0.945, 50, memory=0.9),
             result(5, 0.95, 1, rung=1), result(6, 0.0, 1, diverged=(0, 1, 1))]
    assert best_cell(cells, 2).eta0 == 2
    assert best_cell(cells[3:4], 2).eta0 == 4
    assert best_cell([*cells, result(7, 0.944, 5, width=1.15)], 2).eta0 == 2  # cheap, but the cloud is too wide
    assert best_cell([result(7, 0.944, 5, width=1.15)], 2).eta0 == 7
    assert best_cell(cells[4:], 2) is None
    lucky = [result(1, 0.956, 500), result(2, 0.942, 100)]
    assert best_cell(lucky, 2).eta0 == 2  # the first is above the ceiling by chance
    for accuracy, chosen in ((0.9417, 2), (0.9413, 1)):  # 256 draws: a quarter of TOLERANCE_DRAWS, half of the tolerance
        assert best_cell([result(1, 0.944, 500), result(2, accuracy, 100)], 2, chains=16).eta0 == chosen


def test_the_largest_of_many_noisy_coordinates_excludes_no_cell():
    cells = [result(1, 0.944, 500), result(2, 0.944, 100, memory=0.53, width=1.15)]
    assert best_cell(cells, 2).eta0 == 1  # infinite chains: no noise
    assert best_cell(cells, 2, chains=16, dim=124).eta0 == 2
    assert best_cell(cells, 2, chains=4096, dim=124).eta0 == 1
    assert best_cell([cells[0], result(2, 0.944, 100, memory=0.62)], 2, chains=16, dim=124).eta0 == 1  # beyond noise


def test_grid_values():
    assert spaced(0.01, 1.0, 3) == (0.01, 0.1, 1.0) and spaced(5, 800, 3, whole=True) == (5, 63, 800)
    assert around(0.3, (0.1, 1, 10)) == (0.03, 0.3, 3.0) and around(3, (0.1, 1), whole=True) == (1, 3)
    assert parse_values("eta0", "0.1:1:2") == (0.1, 1.0) and parse_values("i_max", "5,10") == (5, 10)
    assert Grid((1.0, 0.1, 1.0), 5, 9, np.inf).eta0 == (0.1, 1.0)
    for text in ("a,b", "1:2", "0:1:3", "1:0.5:3"):
        with pytest.raises(ValueError, match="eta0 must be values"):
            parse_values("eta0", text)
    with pytest.raises(ValueError, match="i_max must be a whole number"):
        Grid(0.1, 1.5, 9, 1.0)


def test_judged_epochs_are_in_the_second_half():
    assert judged_epochs(1000)[-1] == 1000 and judged_epochs(1000)[0] > 500 and len(judged_epochs(1000)) == 16
    assert judged_epochs(16) == list(range(9, 17))


def test_draws_mapped_to_another_epoch_match_a_long_chain_there(rows):
    from sampler import long_chain_reference

    problem = LogisticRegression(2)
    references = make_reference(problem, *rows, [256])
    first = judged_epochs(256)[0]
    fresh = long_chain_reference(problem.posterior(rows[0][:first], rows[1][:first]), draws=4000, seed=9)
    levels = references.epochs[first].levels(fresh.samples)
    # Two empirical laws of 2,000 effective draws or more each: Kolmogorov 1.95 sqrt(2/2000) = 0.062, p = 0.001.
    for column in levels.T:
        assert np.abs(np.sort(column) - (np.arange(4000) + 0.5) / 4000).max() < 0.062
    assert make_reference(problem, *rows, [256], stop=lambda: True) is None


def test_a_user_defined_problem_is_serialized(tmp_path, monkeypatch):
    from sampler.problems import load_problem
    from sampler.tuning.sweep_cell import SweepJob

    (tmp_path / "travelling.py").write_text(
        "from numba import cfunc\nfrom sampler import GradientOracle, gradient_signature\n"
        "@cfunc(gradient_signature)\ndef g(indices, n, theta, dim, data, out):\n"
        "    for j in range(n):\n        for q in range(dim):\n            out[j * dim + q] = theta[q] - data[indices[j]]\n"
        "import numpy as np\nproblem = GradientOracle(g, 2, data=np.arange(40.0))\n")
    monkeypatch.chdir(tmp_path)
    problem = load_problem("travelling:problem")
    references = make_reference(problem, None, None, [40])
    job = SweepJob(problem, None, None, 4, 0, (40,), references)
    settings = Settings(eta0=0.3, i_max=4, batch_size=4)
    there = run_cell(sweep_cell.loads(sweep_cell.dumps(job)), settings, 0)
    assert numbers([there]) == numbers([run_cell(job, settings, 0)])

    def local(indices, theta):
        return np.tile(theta, (len(indices), 1))

    own = SweepJob(GradientOracle(local, 2), None, None, 4, 0, (40,), references)
    assert sweep_cell.loads(sweep_cell.dumps(own)).problem.dim == 2  # pickle refuses this function


def test_a_sweep_of_two_algorithms_equals_two_sweeps(rows, plain, tmp_path):
    whitened = Grid((0.1, 0.5), (4, 30), (9,), (30.0,), "preconditioned")
    storage = str(tmp_path / "trials.db")
    sweep(rows, storage=storage, prune=False).run()
    both = sweep(rows, (GRID, whitened), storage=storage, prune=False).run()  # the plain cells are read, not run
    alone = sweep(rows, whitened, prune=False).run()
    cells = {name: [c for c in both.cells if c.algorithm == name] for name in ("saga-ld", "preconditioned")}
    assert numbers(cells["saga-ld"]) == numbers(plain[0].cells) and numbers(cells["preconditioned"]) == numbers(alone.cells)
    assert both.best == best_cell(both.cells, 2, 16, 2) and both.ended == "finished"
    assert both.bests == {name: best_cell(cells[name], 2, 16, 2) for name in cells}
    costs = [c.cost for c in both.cells if c.i_max == 30]
    assert max(costs) < 1.03 * min(costs)  # the same lengths and batch cost the same
    again = sweep(rows, (GRID, whitened), storage=storage, prune=False)
    assert numbers(again.saved().cells) == numbers(both.cells) and again.saved().ended == "finished"
    hot = result(3.0, 0.9, 100, diverged=(0, 50, 1))
    pair = [verdict_of(CellResult(**{**hot.to_dict(), "algorithm": name}), Settings(offset=0.0), 16, largest_curvature=1.0,
                       horizon=50) for name in cells]
    assert "0.06" in pair[0].sentence and "is 3;" in pair[1].sentence  # eta0/(t + c), and eta0


def test_tpe_alternates_algorithms_stays_in_their_ranges_and_resumes(rows, tmp_path):
    grids = Grid((0.01, 10.0), (4, 30), 9, 100.0), Grid((0.01, 1.0), (4, 30), 9, 30.0, "preconditioned")
    storage = str(tmp_path / "trials.db")
    first = sweep(rows, grids, sampler="tpe", trials=3, storage=storage).run().cells
    cells = sweep(rows, grids, sampler="tpe", trials=6, storage=storage).run().cells
    assert [c.algorithm for c in cells] == ["saga-ld", "preconditioned"] * 3
    assert len(first) == 3 and numbers(first).items() <= numbers(cells).items() and len({c.eta0 for c in cells}) == 6
    assert all(0.01 <= c.eta0 <= (10.0 if c.algorithm == "saga-ld" else 1.0) and 4 <= c.i_max <= 30 for c in cells)
    with pytest.raises(ValueError, match="one Grid of each algorithm"):
        sweep(rows, (GRID, GRID))
