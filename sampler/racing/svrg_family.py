"""Samplers on fixed data by name: ZXG's four, checked, each run in its turn of a race."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from sampler.algorithms.offline_langevin import OfflineSGLD, SagaLD, SvrgLD
from sampler.algorithms.offline_sampler import OfflineSampler
from sampler.algorithms.results import Checkpoint
from sampler.arguments import shown, whole_number


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
