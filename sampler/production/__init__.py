"""Production: runs of a tuned setting on a stream, with monitoring, gates and checkpoints."""

from sampler.production.checkpoint_file import load_predictive
from sampler.production.cluster_calls import ClusterLost
from sampler.production.cluster_chains import ClusterChains
from sampler.production.drift_alarm import DriftAlarm
from sampler.production.gates import GateFailure, Gates, failed_verdict
from sampler.production.metrics_endpoint import MetricsEndpoint
from sampler.production.prequential import Prequential
from sampler.production.rehearsal import gates_from, rehearse, stream_evidence
from sampler.production.replay import Replay
from sampler.production.replay_result import ReplayResult
from sampler.production.run_monitor import Watch
from sampler.production.summaries import JsonLines, ParquetParts
from sampler.production.tuned import Tuned, settings_in_python

__all__ = [
    "ClusterChains", "ClusterLost", "DriftAlarm", "GateFailure", "Gates", "JsonLines", "MetricsEndpoint", "ParquetParts",
    "Prequential", "Replay", "ReplayResult", "Tuned", "Watch", "failed_verdict", "gates_from", "load_predictive", "rehearse",
    "settings_in_python", "stream_evidence",
]
