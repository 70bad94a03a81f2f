"""The streaming benchmark: scores, streams, restart, and a miniature run."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from app.compare.method_map import PRIOR, read_map
from tests.benchmarks import streaming
from tests.benchmarks.streaming_scores import judged, limits, order, ranks, summary

TRUTH = SimpleNamespace(mean=np.array([1.0, -2.0]), std=np.array([0.5, 3.0]), ess=None, draws=None)
WHITE = np.array([[1.0, 1.0], [-1.0, -1.0]]) / np.sqrt(2)  # two draws of mean 0, standard deviation 1 (n - 1)


def test_the_score_of_draws_is_their_error_and_width():
    draws = TRUTH.mean + TRUTH.std * (np.array([0.3, -0.2]) + np.array([0.8, 1.25]) * WHITE)
    result = judged(draws, TRUTH)
    assert (result.error, result.narrowest, result.widest) == pytest.approx((0.3, 0.8, 1.25))
    assert result.good  # within the noise of two draws
    assert not judged(np.tile(draws, (4_000, 1)), TRUTH).good  # but not of 8,000
    assert judged(np.tile(TRUTH.mean + TRUTH.std * WHITE * np.sqrt(2), (4_000, 1)), TRUTH).good
    lost = judged(np.full((1, 2), np.nan), TRUTH)
    assert lost.error == np.inf and not lost.good


def test_limits_count_the_noise_of_draws_truth_and_dimensions():
    """One coordinate: 95 % of normals stay below 1.96; of d independent ones all stay below the quantile of 0.95^(1/d)."""
    mean, width = limits(1, 100, np.inf)
    assert mean == pytest.approx(np.hypot(0.1, 1.959964 / 10))
    assert width == pytest.approx(np.hypot(0.1, 1.959964 / np.sqrt(200)))
    assert limits(1, 200, 200.0)[0] == pytest.approx(mean)  # noise of draws and of the reference adds up
    assert limits(1, 100, np.inf, kurtosis=9.0)[1] == pytest.approx(np.hypot(0.1, 1.959964 * np.sqrt(2) / 10))
    noise = np.sqrt(limits(124, 100, np.inf)[0] ** 2 - 0.01) * 10
    assert (2 * norm.cdf(noise) - 1) ** 124 == pytest.approx(0.95)


def cell(method, seed=0, good=True, seconds=1.0, error=0.1, t=100, refused=""):
    scores = {} if refused else {"error": error, "narrowest": 0.9, "widest": 1.2, "limit": 0.12, "width_limit": 0.13,
                                 "good": good}
    return {"seed": seed, "t": t, "regime": "rare", "dim": 2, "method": method, "refused": refused, "note": "",
            "gradients": 10.0, "seconds": seconds, "rhat": 1.0, "ess": 1e4, **scores}


def test_the_good_are_ordered_by_seconds_the_others_by_error_and_the_refused_come_last():
    cells = [cell("saga", seconds=3.0), cell("mala", seconds=2.0), cell("rvga", good=False, error=2.0, seconds=0.1),
             cell("ibis", good=False, error=1.0), cell("pg", refused="needs"), cell("rwm", refused="needs")]
    ranks = order({one["method"]: one for one in cells})
    assert ranks == {"saga": 2, "mala": 1, "rvga": 4, "ibis": 3, "pg": 5.5, "rwm": 5.5}


def test_ranks_have_the_interval_of_the_bootstrap():
    """First in half of 40 seeds and second in the others: mean 1.5, standard error 0.5/sqrt(40) = 0.079."""
    records = [cell(method, seed, seconds=1.0 + ((method == "saga") == (seed < 20)))
               for method in ("saga", "mala") for seed in range(40)]
    table = ranks(records, ["saga", "mala"])
    np.testing.assert_allclose(table[:, 0], 1.5)
    # a quantile of 1,000 bootstraps of a mean on a lattice of 1/40 is one or two steps from 1.96 standard errors
    np.testing.assert_allclose(table[0, 1:] - 1.5, [-0.155, 0.155], atol=0.05)
    assert np.isnan(ranks(records[:-40], ["saga", "mala"])).all()  # a method is missing everywhere


def test_a_map_has_medians_over_seeds_with_refused_cells_and_cells_not_run():
    records = [cell("saga", seed, error=error, seconds=2.0) for seed, error in enumerate((0.1, 0.3, 0.2))]
    records += [cell("rvga", seed, good=seed < 2, error=np.inf, seconds=1.0) for seed in range(3)]
    records += [cell("pg", seed, refused="needs logistic labels") for seed in range(3)]
    records += [cell("saga", 0, t=1_000)]
    text = summary(records, {"seeds": 3})
    table = read_map(text)
    assert table.methods == ("saga", "pg", "rvga") and [c.t for c in table.columns] == [100, 1_000]
    assert table.error[0].tolist() == [0.2, 0.1] and table.error[2, 0] == np.inf and np.isnan(table.error[1]).all()
    assert table.runs.tolist() == [[3, 1], [-1, 0], [3, 0]]
    assert table.enough.tolist() == [[True, True], [False, False], [False, False]]  # two of three seeds are not enough
    assert table.cheapest.tolist() == [0, 0] and table.wins([0, 1]) == {"saga": 2}
    assert text == summary(records, {"seeds": 3})


@pytest.mark.parametrize("regime", streaming.REGIMES)
def test_fewer_rows_are_the_first_of_more_and_a_regime_matches_its_name(regime):
    features, labels = streaming.stream(regime, 5, 20_000, seed=3)
    few = streaming.stream(regime, 5, 700, seed=3)
    np.testing.assert_array_equal(few[0], features[:700])
    np.testing.assert_array_equal(few[1], labels[:700])
    assert np.all(features[:, -1] == 1.0)
    if regime == "rare":  # E p = 1/200 within a factor, 100 +- 10 labels of 20,000
        assert 0.002 < labels.mean() < 0.01
    if regime == "collinear":
        assert np.corrcoef(features[:, :2].T)[0, 1] == pytest.approx(1 / (1 + 0.05**2), abs=1e-3)
    if regime == "leverage":  # Student's t with 1.5 degrees of freedom has infinite variance
        assert np.abs(features[:, 0]).max() > 50
    halves = [streaming.LogisticRegression(5).posterior(features[part], labels[part]) for part in (slice(0, 500),
                                                                                               slice(15_000, None))]
    first, last = (streaming.find_mode(half) for half in halves)
    turned = first @ last / np.linalg.norm(first) / np.linalg.norm(last)
    if regime == "drift":
        assert turned < 0.0  # rows 250 and 17,500 are 111 degrees apart
    elif regime in ("gaussian", "separable"):
        assert turned > 0.9
    if regime == "separable":
        flat = streaming.LogisticRegression(5, prior_precision=1e-4)
        mode = streaming.find_mode(flat.posterior(features[:500], labels[:500]))
        assert np.mean((features[:500] @ mode > 0) == labels[:500]) == 1.0


def test_a_quick_run_is_the_beginning_of_a_full_one():
    quick, full = streaming.places(True), streaming.places(False)
    assert set(quick) < set(full) and len(full) == 300 and {place.t for place in quick} == {100, 1_000}
    assert [place.seed for place in full] == sorted(place.seed for place in full)
    assert max(place.dim for place in full if place.t == 10_000) == 11
    assert len(streaming.methods()) >= 12 and PRIOR in streaming.methods()


@pytest.fixture
def small(monkeypatch):
    """Three methods at two posteriors, without measured cells."""
    monkeypatch.setattr(streaming, "KEPT", Path("no such file"))
    monkeypatch.setattr(streaming, "methods", lambda: ["warm_laplace", "precond", PRIOR])
    monkeypatch.setattr(streaming, "places", lambda quick: [streaming.Place(0, t, "gaussian", 2) for t in (30, 60)])


def test_a_stopped_run_continues_and_a_new_method_fills_in_its_row(tmp_path, small, monkeypatch):
    path = tmp_path / "streaming.jsonl"
    whole = [cells for work in streaming.missing(path, False) for cells in [streaming.cells_of(*work)]]
    assert [len(cells) for cells in whole] == [3, 3]
    by_name = {one["method"]: one for one in whole[1]}
    assert by_name["warm_laplace"]["good"] and by_name["precond"]["good"] and not by_name[PRIOR]["good"]
    assert by_name["precond"]["gradients"] > 512 * 64 and by_name["precond"]["seconds"] > 0
    again = streaming.cells_of(streaming.Place(0, 60, "gaussian", 2), ["precond"])[0]
    untimed = {"seconds": 0.0}
    assert again | untimed == by_name["precond"] | untimed  # the same seeds, the same draws
    lines = [json.dumps(one) for cells in whole for one in cells]
    path.write_text("\n".join(lines[:4]) + "\n" + lines[4][:25])  # stopped in the middle of a line
    assert streaming.missing(path, False) == [(streaming.Place(0, 60, "gaussian", 2), ["precond", PRIOR])]

    monkeypatch.setattr(streaming, "ProcessPoolExecutor", lambda workers, context: ThreadPoolExecutor(1))
    assert len(list(streaming.run(path, streaming.missing(path, False)))) == 1
    assert streaming.missing(path, False) == []
    keys = [(one["t"], one["method"]) for one in streaming.recorded(path)]
    assert len(keys) == len(set(keys)) == 6
    monkeypatch.setattr(streaming, "CELLS", path)
    rows = list(streaming.measure(False))
    good = {row.name.split(":")[0]: row.measured for row in rows}
    assert good == {key: sum(one["good"] for one in streaming.recorded(path) if one["method"] == key) / 2 for key in good}
    assert len(good) == 3


def test_cells_of_earlier_runs_are_stored_and_not_measured_again(tmp_path, small, monkeypatch):
    whole = [cell("warm_laplace", t=30), cell("precond", t=30, refused="needs a prior"), cell(PRIOR, t=30, error=np.inf)]
    path = tmp_path / "streaming.jsonl"
    made_by = {"regime": "gaussian", "cpu": "Intel(R) Xeon(R) Processor"}
    path.write_text("".join(json.dumps(one | made_by | {"version": version}) + "\n"
                            for one, version in zip(whole, ("1.9.0", "1.10.0", "1.2.0"), strict=True)))
    cells = streaming.recorded(path)
    monkeypatch.setattr(streaming, "KEPT", tmp_path / "kept.parquet")
    streaming.keep(cells)
    path.unlink()
    assert streaming.all_cells(path) == cells and streaming.made(cells)["machine"].startswith("Intel Xeon, ")
    assert streaming.made(cells)["version"] == "1.2.0 to 1.10.0" and streaming.made(cells[:1])["version"] == "1.9.0"
    assert [place.t for place, _ in streaming.missing(path, False)] == [60]


def test_a_method_that_diverges_or_refuses_has_a_note(small):
    setup = streaming.prepared(streaming.Place(0, 30, "gaussian", 2))
    refused = streaming.measured(replace(setup, problem=SimpleNamespace(kind="oracle", curvatures=None)), "pg")
    assert "logistic" in refused["refused"] and "error" not in refused
    lost = streaming.measured(replace(setup, memories={}), "saga")
    assert lost["error"] == np.inf and not lost["good"] and "lower eta0" in lost["note"]
    spent = streaming.measured(setup, "rwm", work=1.0)
    assert spent["note"] == "budget spent"
