"""Posterior predictions of the response for new rows, averaged over draws."""

from sampler.predictive.predictive import Predictive, PredictiveDistribution

__all__ = ["Predictive", "PredictiveDistribution"]
