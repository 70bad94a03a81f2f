"""Reference posteriors: exact, on a grid, or from long exact chains; and the posterior's mode."""

from sampler.algorithms.laplace import find_mode
from sampler.reference.base import GaussianReference, Reference, gaussian_reference
from sampler.reference.grid_reference import GridReference, tempered_reference
from sampler.reference.long_chain import SampleReference, long_chain_reference
from sampler.reference.mode_tracker import ModeTracker, OracleModeTracker

__all__ = [
    "GaussianReference", "GridReference", "ModeTracker", "OracleModeTracker", "Reference", "SampleReference",
    "find_mode", "gaussian_reference", "long_chain_reference", "tempered_reference",
]
