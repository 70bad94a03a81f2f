"""Loops that advance a run, one for each kind of likelihood and kernel."""

from sampler.coreset.loops.compiled_gaussian import GaussianLoop
from sampler.coreset.loops.compiled_regression import RegressionLoop
from sampler.coreset.loops.compiled_sparse import SparseLoop
from sampler.coreset.loops.loop import Loop, Setup
from sampler.coreset.loops.plain_python import PlainLoop
from sampler.coreset.models.base import Model
from sampler.coreset.models.gaussian import GaussianLocation
from sampler.coreset.models.score_model import ScoreModel
from sampler.coreset.models.sparse import SparseRegression
from sampler.coreset.transitions import GaussianKernel, GibbsSampler

COMPILED = (GaussianLocation, ScoreModel, SparseRegression)
WRITTEN_BY_US = ("log_likelihood", "terms", "log_prior", "score_terms")


def is_compiled(model: Model) -> bool:
    """Return whether compiled code knows this model; a subclass with its own likelihood or prior runs in Python."""
    kind = type(model)
    ours = next((base for base in kind.__mro__ if base.__module__.startswith("sampler.coreset.models.")), None)
    if ours is None or not isinstance(model, COMPILED):
        return False
    same = all(getattr(kind, name, None) is getattr(ours, name, None) for name in WRITTEN_BY_US)
    return same and not any(name in vars(model) for name in WRITTEN_BY_US)


def build(setup: Setup) -> Loop:
    """Return the loop for a model and a kernel."""
    if not is_compiled(setup.model):
        return PlainLoop(setup)
    if isinstance(setup.kernel, GibbsSampler):
        return SparseLoop(setup)
    if isinstance(setup.kernel, GaussianKernel):
        return GaussianLoop(setup)
    return RegressionLoop(setup)
