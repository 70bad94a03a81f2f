"""What races share: `Curves`, which they return, and samplers on fixed data by name, each run in its turn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sampler.algorithms.offline_langevin import OfflineSGLD, SagaLD, SvrgLD
from sampler.algorithms.offline_sampler import OfflineSampler
from sampler.algorithms.results import Checkpoint
from sampler.arguments import shown, whole_number
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


def svrg_family(n: int, step_size: float | None = None, batch_size: int = 1,
                shares: Sequence[int] = (5,)) -> dict[str, OfflineSampler]:
    """ZXG's four: SGLD, SAGA-LD, SVRG-LD and SVRG-LD+ with B = n/share for each share (Figure 4: several)."""
    n = whole_number("n", n, 1, 2**62)
    family = {"SGLD": OfflineSGLD(step_size, batch_size), "SAGA-LD": SagaLD(step_size, batch_size),
              "SVRG-LD": SvrgLD(step_size, batch_size)}
    for share in shares:
        share = whole_number("shares", share, 2, 2**62)
        family[f"SVRG-LD+ B = n/{share}"] = SvrgLD(step_size, batch_size, max(1, n // share))
    return family


def check_samplers(samplers: Mapping[str, OfflineSampler]) -> None:
    """Raise a ValueError unless ``samplers`` are samplers on fixed data by name, one or more."""
    wrong = not isinstance(samplers, Mapping) or not samplers
    if wrong or not all(isinstance(sampler, OfflineSampler) for sampler in samplers.values()):
        raise ValueError(f"samplers must hold at least one, by name, got {shown(samplers)}; svrg_family(n) gives ZXG's")


def in_turn(samplers: Mapping[str, OfflineSampler], progress: Callable[[str, float], None] | None,
            stop: Callable[[], bool] | None) -> Iterator[tuple[str, OfflineSampler, Callable[..., None]]]:
    """Each sampler until stopped, with its name and what tells the race's ``progress`` the share of its own work done."""
    for i, (name, sampler) in enumerate(samplers.items()):
        if stop is not None and stop():
            return

        def tell(share: float, _: Checkpoint | None = None, done: int = i, name: str = name) -> None:
            if progress is not None:
                progress(name, (done + share) / len(samplers))

        yield name, sampler, tell
