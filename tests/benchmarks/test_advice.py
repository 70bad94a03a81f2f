"""The benchmark of the advised setting: streams, large-sample laws, restart, rows."""

import numpy as np
import pytest

from sampler import LinearRegression, Settings
from sampler.tuning import Forecast
from tests.benchmarks import advice


def test_forty_streams_twelve_of_them_files_match_their_names():
    streams = advice.streams()
    drawn = [name for name in streams if " " in name]
    assert len(streams) == 40 and len(drawn) == 28
    for name, make in streams.items():
        kind, features, labels = make()
        assert len(features) == len(labels) >= 100 and np.isfinite(features).all(), name
        assert np.all(features[:, -1] == 1.0), name
        assert kind != "logistic" or set(labels) == {0.0, 1.0}
        again = make()
        np.testing.assert_array_equal(again[1], features)
    for name in drawn:
        kind, regime, dim = name.split()
        features, labels = streams[name]()[1:]
        assert features.shape[1] == int(dim)
        if regime == "rare":  # about ten of 400: below 0.06 by three standard deviations
            assert 0 < labels.mean() < (0.06 if kind == "logistic" else 0.25)
        if regime == "collinear":  # 0.9, and 300 pairs err by (1 - 0.81)/sqrt(300) = 0.011
            assert np.corrcoef(features[:, :2].T)[0, 1] == pytest.approx(0.9, abs=0.04)


def test_the_law_in_steps_exceeds_that_in_continuous_time_by_its_exact_factor():
    """In one dimension S lambda is 1 + eta N/2 in continuous time, and (1 + eta N/2)/(1 - eta lambda/2) in steps."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 1))
    forecast = Forecast(LinearRegression(1), rows, rows[:, 0])
    settings = Settings(eta0=0.5, batch_size=9)
    times = settings.eta0 / forecast.divisor(settings) * forecast.largest_curvature
    continuous, steps = (advice.LargeSample(forecast, which)._inflation(settings)[0] for which in (True, False))
    assert steps == pytest.approx(continuous / (1.0 - times / 2.0))
    ours = forecast._inflation(settings)[0]
    assert 1.0 < continuous < steps < ours  # its noise grows with the spread
    far = Settings(eta0=2.5 * forecast.divisor(settings) / forecast.largest_curvature, batch_size=9)
    assert advice.LargeSample(forecast, False)._inflation(far) is None  # unstable, unlike in continuous time
    assert advice.LargeSample(forecast, True)._inflation(far) is not None


def test_a_stopped_run_continues_and_its_rows_include_recorded_streams(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=40), np.ones(40)])
    labels, made = rows[:, 0] + rng.normal(size=40), []

    def stream():
        made.append(1)
        return "linear", rows, labels

    monkeypatch.setattr(advice, "streams", lambda: {"one": stream, "two": stream})
    monkeypatch.setattr(advice, "RECORD", tmp_path / "advice.jsonl")
    monkeypatch.setattr(advice, "SWEEPS", tmp_path / "advice-sweeps.jsonl")
    for name, value in {"CHAINS": 16, "MANY": 24, "ETAS": {"saga-ld": (0.5, 1)}, "LENGTHS": (1,)}.items():
        monkeypatch.setattr(advice, name, value)
    (tmp_path / "advice.jsonl").write_text('{"name": "on')  # stopped in the middle of a line
    first = list(advice.measure(True))
    assert len(made) == 1 and [record["name"] for record in advice.recorded(advice.RECORD)] == ["one"]
    advice.keep(advice.SWEEPS, advice.recorded(advice.SWEEPS)[0] | {"name": "two"})  # both streams are equal
    monkeypatch.setattr("sampler.Sweep.run", lambda *_: pytest.fail("a sweep of the same grid is repeated"))
    second = list(advice.measure(False))
    assert len(made) == 2 and len(second) == len(first) == 6 and "share of 2 of 2 streams" in second[0].name
    assert [row.measured for row in first] == [row.measured for row in second]
    record = advice.recorded(advice.RECORD)[0]
    assert record["advised"]["price"] >= record["once"]["price"] > 0.0 and record["taken"] in (0, 1, 2)
    prices = {chains: record["at"][chains]["price"] / record["at"][chains]["cost"] / 40 for chains in record["at"]}
    assert prices == pytest.approx({chains: int(chains) for chains in prices})  # chains times rows times gradients per epoch
    assert record["sweep_price"] > 1.5 * record["at"]["16"]["price"]  # of two settings, and earlier rungs


def records(*costs):
    cell = {"verdict": "safe", "price": 1.0}
    return [{"cheapest": 100.0, "sweep_price": 50.0, "advised": cell | {"cost": cost}, "true": cell, "taken": 1,
             "once": cell | {"cost": 2.0 * cost},
             "at": dict.fromkeys(("16", "64"), cell), "others": dict.fromkeys(("continuous", "discrete", "preconditioned"),
                                                                              cell | {"cost": cost})} for cost in costs]


def test_targets_are_shares_of_streams():
    wrong = records(100.0)[0] | {"true": {"verdict": "hot"}}
    right, cheap, price, *_ = advice.rows_of([*records(100.0, 140.0, 160.0), wrong])
    assert (right.measured, right.ok) == (0.75, False) and (cheap.measured, cheap.ok) == (0.75, False)
    assert (price.measured, price.ok) == (0.02, True)
    unsafe = records(100.0)[0] | {"cheapest": None}  # no setting of the sweep is safe: nothing to compare
    assert [row.ok for row in advice.rows_of([*records(100.0), unsafe])][:3] == [True, True, True]
