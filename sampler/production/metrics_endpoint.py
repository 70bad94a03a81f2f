"""`MetricsEndpoint`: metrics of a run for Prometheus over local HTTP, with names and units by its conventions.

The run's thread takes a snapshot after each block and a scrape reads the last one, so neither waits for the other.
Quantities that are not measured yet have no sample.

Source: https://prometheus.io/docs/practices/naming/
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sampler.arguments import whole_number
from sampler.production.gates import LIMITS

if TYPE_CHECKING:
    from sampler.production.replay import Replay

PREFIX = "exit_time_lab_"
COUNTERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "epochs": ("Epochs run, one per row learnt", lambda replay: replay.epoch),
    "gradient_evaluations": ("Gradient evaluations of one term at one point, all chains",
                             lambda replay: replay.saga.gradient_evaluations),
    "source_rows": ("Rows learnt, buffered and left out since the first run: the position in the source",
                    lambda replay: replay.rows_taken),
    "skipped_rows": ("Rows left out because they could not be used", lambda replay: replay.skipped),
    "drift_alarms": ("Drift alarms of the predictive score", lambda replay: len(replay.watch.drifts)),
}
"""Description by name, and the value for a run between two blocks."""
GAUGES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "checkpoint_epoch": ("Epoch of the last checkpoint", lambda replay: replay.kept),
    "epoch_seconds": ("Wall time per epoch, all chains, median of the last blocks",
                      lambda replay: replay.watch.seconds_per_epoch),
    "rhat": ("Split R-hat, largest over coordinates", lambda replay: replay.watch.rhat),
    "mode_lag_widths": ("Distance of the chains' mean from the mode, in posterior widths",
                        lambda replay: replay.watch.lag.value),
    "common_drift_standard_deviations": ("Common displacement of all chains",
                                         lambda replay: replay.watch.common_drift),
    "predictive_log_score_nats": ("Mean log score of the last rows, predicted before they were learnt",
                                  lambda replay: replay.watch.score),
    "resets_per_chain_epoch": ("Resets per epoch and chain", lambda replay: replay.watch.reset_rate),
}
GATES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "gate_limit": ("Limit of a gate", lambda replay: {name: getattr(replay.gates, name) for name in LIMITS}),
    "gate_worst": ("Worst measurement since the warm-up, net of chance",
                   lambda replay: dict(replay.watch.worst)),
}
"""The same, with values by gate."""
MISSING = "metrics require prometheus-client; install it with pip install 'exit-time-lab[metrics]'"


class MetricsEndpoint:
    """Server of the metrics of a run at ``http://127.0.0.1:PORT/metrics``.

    Parameters
    ----------
    port : int in [0, 65535]
        0 selects a free port; see the attribute ``port``.

    Raises
    ------
    ValueError
        If the port is out of range or in use, or prometheus-client is not installed.

    Examples
    --------
    ``with MetricsEndpoint(9184) as metrics: replay.run(progress=lambda t: metrics.update(replay))``
    """

    def __init__(self, port: int) -> None:
        try:
            from prometheus_client import CollectorRegistry, start_http_server
        except ImportError:
            raise ValueError(MISSING) from None
        self._values: dict[str, Any] = {}
        port = whole_number("metrics", port, 0, 65_535, "9184 is usual; 0 takes a free one")
        registry = CollectorRegistry()
        registry.register(self)
        try:
            self._server, self._thread = start_http_server(port, "127.0.0.1", registry)
        except OSError as error:
            raise ValueError(f"metrics must be a free port, got {port} ({error.strerror}); 0 takes a free one") from None
        self.port = int(self._server.server_port)

    def update(self, replay: "Replay") -> None:
        """Take a snapshot of a run between two blocks; call it in the thread of the run.

        Parameters
        ----------
        replay : Replay
        """
        self._values = {name: value(replay) for name, (_, value) in (COUNTERS | GAUGES | GATES).items()}

    def collect(self) -> Iterator[Any]:
        """Yield the metric families of the last snapshot; called by prometheus-client."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        values = self._values
        for names, family in ((COUNTERS, CounterMetricFamily), (GAUGES, GaugeMetricFamily)):
            for name, (words, _) in names.items():
                if values.get(name) is not None:
                    yield family(PREFIX + name, words, value=values[name])
        for name, (words, _) in GATES.items():
            gates = GaugeMetricFamily(PREFIX + name, words, labels=["gate"])
            for gate, value in values.get(name, {}).items():
                if value is not None:
                    gates.add_metric([gate], value)
            yield gates

    def close(self) -> None:
        """Stop the server and release the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> "MetricsEndpoint":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
