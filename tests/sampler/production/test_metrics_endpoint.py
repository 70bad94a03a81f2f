"""Metrics of a run over HTTP for Prometheus, also while it runs."""

import re
import socket
import sys
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from sampler.production import Gates, MetricsEndpoint
from tests.sampler.replays import replay


def scrape(metrics):
    """Return samples by name, or by name and gate."""
    with urllib.request.urlopen(f"http://127.0.0.1:{metrics.port}/metrics", timeout=30) as answer:
        families = list(text_string_to_metric_families(answer.read().decode()))
    counters = {family.name.removeprefix("exit_time_lab_") for family in families if family.type == "counter"}
    assert counters <= {"epochs", "gradient_evaluations", "source_rows", "skipped_rows", "drift_alarms"}
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


def test_a_scrape_has_the_values_of_the_run_after_its_last_block(rows):
    run, during = replay(rows, gates=Gates(max_lag=5.0, max_rhat=9.0, warm_up=50)), []
    with MetricsEndpoint(0) as metrics:
        assert scrape(metrics) == {}  # nothing is measured yet

        def after_block(t):
            metrics.update(run)
            if t in (10, 200):
                during.append(scrape(metrics))

        run.run(progress=after_block)
        metrics.update(run)
        last = scrape(metrics)
    early, late = during
    assert early["exit_time_lab_epochs_total",] == 10 and late["exit_time_lab_epochs_total",] == 200
    assert ("exit_time_lab_rhat",) not in early and ("exit_time_lab_gate_worst", "max_lag") not in early
    watch = run.watch
    assert last["exit_time_lab_epochs_total",] == last["exit_time_lab_source_rows_total",] == 330
    assert last["exit_time_lab_gradient_evaluations_total",] == run.saga.gradient_evaluations
    for name, value in {"rhat": watch.rhat, "mode_lag_widths": watch.lag.value, "predictive_log_score_nats": watch.score,
                        "resets_per_chain_epoch": watch.reset_rate, "epoch_seconds": watch.seconds_per_epoch}.items():
        assert last[f"exit_time_lab_{name}",] == pytest.approx(value), name
    assert {key[1:]: value for key, value in last.items() if key[0] == "exit_time_lab_gate_limit"} == {
        ("max_lag",): 5.0, ("max_rhat",): 9.0}
    assert last["exit_time_lab_gate_worst", "max_lag"] == pytest.approx(watch.worst["max_lag"])


def test_an_unavailable_port_is_named(monkeypatch):
    for port in (-1, 65_536, 1.5, "9184"):
        with pytest.raises(ValueError, match="metrics must be"):
            MetricsEndpoint(port)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"metrics must be a free port, got {port}"):
            MetricsEndpoint(port)
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(ValueError, match=re.escape("pip install 'exit-time-lab[metrics]'")):
        MetricsEndpoint(0)
