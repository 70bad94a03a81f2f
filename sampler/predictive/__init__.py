"""Predictions of the response of new rows, averaged over draws of a posterior."""

from sampler.predictive.distribution import PredictiveDistribution
from sampler.predictive.predictive import Predictive

__all__ = ["Predictive", "PredictiveDistribution"]
