"""A `CoresetConfig` as URL parameters and back: validated, clamped, nonsense answered in words."""

from __future__ import annotations

from typing import Any

from app.coreset.config import HOT, KERNELS, MODELS, OPTIMIZERS, STARTS, VIEWS, CoresetConfig
from app.coreset.knobs import KNOBS, affordable, of_model
from app.coreset.presets import PRESETS
from app.state.link import LinkReader, written

KEYS = {
    "kN": "n", "kd": "dim", "kM": "size", "kS": "subsample", "kK": "chains", "kT": "iterations", "kr": "reach",
    "kg": "adam_rate", "kgc": "adam_constant", "kd0": "guess", "kc": "threshold", "kcap": "cap", "kseed": "seed",
}
"""URL key -> field. The letter k keeps them apart from the keys of other pages."""
CHOICES = {"khot": ("hot", HOT), "kstart": ("start", STARTS), "kkernel": ("kernel", KERNELS), "kview": ("view", VIEWS)}


def to_query(config: CoresetConfig) -> dict[str, str]:
    """Return everything as strings; `from_query` gives the same configuration back, but for a file's data."""
    query = {"kmodel": config.model, "kdata": config.data, "kopt": ",".join(config.optimizers), "kshow": config.focus}
    query |= {key: written(getattr(config, field)) for key, field in KEYS.items()}
    return query | {key: getattr(config, field) for key, (field, _) in CHOICES.items()}


def from_query(query: dict[str, Any]) -> tuple[CoresetConfig, list[str]]:
    """Read URL parameters. Never raises.

    ``kpreset=<key>`` starts from a picture to try. Returns the configuration and one sentence for each thing that
    was wrong and what was taken instead.
    """
    link = LinkReader(query)
    base = CoresetConfig()
    if link.has("kpreset"):
        base = PRESETS[link.choice("kpreset", tuple(PRESETS), "tie")].config
    model = link.choice("kmodel", MODELS, base.model)
    if model != base.model:
        base = of_model(base, model)
    values = {field: link.number(key, KNOBS[field], getattr(base, field)) for key, field in KEYS.items()}
    values |= {field: link.choice(key, options, getattr(base, field)) for key, (field, options) in CHOICES.items()}
    optimizers = link.choices("kopt", OPTIMIZERS, base.optimizers)
    config = base.replace(**values, optimizers=optimizers, focus=str(link.text("kshow") or base.focus)[:40])
    return _consistent(config, link), link.words


def _consistent(config: CoresetConfig, link: LinkReader) -> CoresetConfig:
    words = link.words
    if not config.optimizers:
        words.append("kopt names no optimizer; took Hot DoG.")
        config = config.replace(optimizers=("hot_dog",))
    if link.choice("kdata", ("generated", "file"), "generated") == "file":
        words.append("The link was made on a file, which a link cannot hold; generated data are shown. Choose the file"
                     " again in the sidebar.")
    for name, plain in (("size", "M"), ("subsample", "S")):
        if getattr(config, name) > config.n:
            words.append(f"{plain} = {getattr(config, name):,} must be at most N = {config.n:,}; took {config.n:,}.")
            config = config.replace(**{name: config.n})
    if config.model == "bradley_terry" and config.dim < 2:
        words.append("d = 1 must be 2 teams or more; took 2.")
        config = config.replace(dim=2)
    try:
        return affordable(config)
    except ValueError:
        words.append(f"{len(config.keys)} runs of {config.iterations:,} iterations would need too much memory; took"
                     " T = 10,000.")
        config = config.replace(iterations=10_000)
    try:
        return affordable(config)
    except ValueError:
        words.append("Even so they would; took Hot DoG alone.")
        return config.replace(optimizers=("hot_dog",))
