"""`Curves`: what every race returns, the curve of each sampler by name."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sampler.draws import Draws, installed


class Curves(dict[Any, Any]):
    """Curve of each sampler by name: a dict, with what practitioners' tools take.

    Its values have ``columns()``, their points as arrays of one length, and where chains ran ``draws(names)``.
    """

    def to_dataframe(self) -> Any:
        """One row a point of a curve, the first column ``sampler`` says whose: a pandas DataFrame."""
        pandas = installed("pandas")
        parts = {name: curve.columns() for name, curve in self.items()}
        sizes = [len(next(iter(part.values()))) for part in parts.values()]
        names: Any = next(iter(parts.values()), {})
        return pandas.DataFrame({"sampler": np.repeat(np.array(list(parts), object), sizes),
                                 **{name: np.concatenate([part[name] for part in parts.values()]) for name in names}})

    def to_datatree(self, names: Sequence[str] | None = None) -> Any:
        """One branch a sampler that has chains, each a tree as ArviZ takes it, of where its chains ended.

        ``dict(tree.children)`` is what functions of ArviZ take that compare several models. Needs xarray.

        Parameters
        ----------
        names : sequence of d str, optional
            Of the coefficients.
        """
        drawn: dict[str, Draws] = {name: curve.draws(names) for name, curve in self.items() if hasattr(curve, "draws")}
        return installed("xarray").DataTree(
            children={name: draws.to_datatree() for name, draws in drawn.items() if draws.samples.size})
