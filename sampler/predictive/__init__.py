"""Predictions of the response of new rows, averaged over draws of a posterior."""

from sampler.predictive.predictive import Predictive, PredictiveDistribution

__all__ = ["Predictive", "PredictiveDistribution"]
