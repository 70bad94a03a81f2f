"""`CoresetState`: user settings of the Coreset page: model, data, coreset MCMC, its optimizers, and the display."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from app.state.page_state import Frozen, PageState, Preset, frozen_copy_of
from app.state.parameters.knob import Choice, Choices, Knob, in_link
from app.state.parameters.knob_values import LinkReader


@dataclass(frozen=True)
class ModelShape:
    """Entry of the model menu, with initial sizes."""

    label: str
    n: int  #: N in the paper
    dim: int  #: of the generated data
    iterations: int
    dim_words: str
    note: str = ""
    size: int = 500


MODELS: dict[str, ModelShape] = {
    "gaussian": ModelShape("Gaussian location", 10_000, 20, 50_000, "dimension"),
    "sparse": ModelShape("Sparse regression", 50_000, 10, 20_000, "features"),
    "linear": ModelShape("Linear regression", 98_673, 10, 20_000, "features"),
    "logistic": ModelShape("Logistic, Cauchy prior", 98_673, 10, 10_000, "features"),
    "poisson": ModelShape("Poisson, softplus", 15_641, 8, 10_000, "features"),
    "bradley_terry": ModelShape(
        "Bradley–Terry", 26_651, 30, 10_000, "teams",
        "The prior dominates here: any sampler of the prior scores well, so this is a poor test."),
}
"""Key -> model."""
OPTIMIZERS = ("hot_dog", "dog", "dowg", "d_adaptation", "prodigy", "adam_sqrt", "adam_const", "untrained")
RATES = {"hot_dog": "reach", "dog": "reach", "dowg": "reach", "d_adaptation": "guess", "prodigy": "guess",
         "adam_sqrt": "adam_rate", "adam_const": "adam_constant"}
"""Optimizer -> the additional knob that it uses."""
MOST_NUMBERS = 90_000_000
"""Maximum of numbers stored by all runs together, 8 bytes each."""


class RunName(in_link(param.String)):
    """Name of the run for which points are drawn, a `RunKey.text`."""

    def from_link(self, link: LinkReader, default: str) -> str:
        """Return the name in a link, unchecked: `CoresetConfig.shown` replaces an unknown run."""
        return (link.text(self.key) or default)[:40]


@dataclass(frozen=True)
class RunKey:
    """Key of a run: an optimizer, with or without the hot start."""

    optimizer: str
    hot: bool

    @property
    def text(self) -> str:
        """Name of the run in links and table rows."""
        return f"{self.optimizer}{'' if self.hot else '-cold'}"


class CoresetState(PageState):
    """Settings of coreset MCMC with several optimizers on one model, with the same seed and coreset for all."""

    model = Choice("gaussian", tuple(MODELS), "model", "What is sampled.", key="kmodel")
    data = Choice("generated", ("generated", "file"), "", "Generated data, or your own file.", key="kdata")
    n = Knob(10_000, 20, 200_000, "data", "Number of generated data.", symbol="N", plain="N", key="kN", whole=True)
    dim = Knob(20, 1, 60, "dimension", "Features (or teams, or coordinates) of the generated data.", symbol="d", plain="d",
               key="kd", whole=True)
    size = Knob(500, 1, 20_000, "coreset points", "Points of the coreset, drawn once; initial weights are N/M.", symbol="M",
                plain="M", key="kM", whole=True)
    subsample = Knob(0, 0, 20_000, "data per step", "Data drawn at every iteration to estimate the gradient.",
                     symbol="S", plain="S", key="kS", scale="log1p", whole=True, lowest="M")
    chains = Knob(2, 2, 32, "chains", "Chains; at least two, as the gradient of Eq. 4 is a covariance over them.",
                  symbol="K", plain="K", key="kK", whole=True)
    iterations = Knob(50_000, 100, 200_000, "iterations", "Iterations, with warm-up. Raise it to continue the runs.",
                      symbol="T", plain="T", key="kT", whole=True)
    optimizers = Choices(("hot_dog", "dog", "adam_sqrt", "adam_const"), OPTIMIZERS, "Optimizers", key="kopt")
    reach = Knob(1e-3, 1e-6, 1e3, "first distance", "Change of every weight in Hot DoG's first step; initial distance"
                 " of DoG and DoWG.", symbol="r", plain="r", key="kr")
    adam_rate = Knob(1.0, 1e-5, 1e4, "decaying rate", "Rate of ADAM, divided by the root of the iteration.", symbol="γ/√t",
                     plain="γ/√t", key="kg")
    adam_constant = Knob(1e-3, 1e-5, 1e4, "constant rate", "Rate of ADAM that does not decay; the default of libraries is"
                         " 0.001.", symbol="γ", plain="γ", key="kgc")
    guess = Knob(1e-6, 1e-9, 1e3, "first guess", "Initial lower bound of the distance in D-Adaptation and Prodigy.",
                 symbol="d<sub>0</sub>", plain="d₀", key="kd0")
    hot = Choice("on", ("on", "off", "both"), "hot start", "The same for every optimizer.", key="khot")
    threshold = Knob(0.5, 1e-3, 10.0, "passes below", "The hot start passes once the statistic is below it; the paper’s is"
                     " 0.5.", plain="the threshold", key="kc")
    cap = Knob(10_000, 30, 100_000, "waits at most", "Iterations after which training starts without passing the test.",
               plain="the cap", key="kcap", whole=True)
    start = Choice("default", ("default", "near", "far"), "start", "Start of the chains.", key="kstart")
    kernel = Choice("exact", ("exact", "ar"), "kernel", "Kernel of the Gaussian model: exact draws, or autoregressive.",
                    key="kkernel")
    seed = Knob(0, 0, 999_999, "seed", "Seed of the data, the coreset and the chains.", plain="seed", key="kseed",
                scale="none", whole=True)
    focus = RunName("hot_dog", key="kshow", doc="Run for which points are drawn.")
    view = Choice("response", ("response", "principal"), "view", "Axes of the points.", key="kview")

    def changes_for(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Refuse more points than data and runs that exceed memory; fewer data lower M and S."""
        kept = f"Kept {self.param[name].format_value(getattr(self, name))}."
        changes: dict[str, Any] = {name: value}
        if name in ("size", "subsample") and value > self.n:
            if typed:
                why = "a coreset is a part of the data" if name == "size" else "it is drawn without replacement"
                raise ValueError(f"{self.param[name].plain} must be at most N = {self.n:,}: {why}. {kept}")
            changes[name] = self.n
        if name == "n":
            changes |= {"size": min(self.size, value), "subsample": min(self.subsample, value)}
        if name == "dim" and self.model == "bradley_terry":
            changes["dim"] = max(2, value)
        self.frozen().replace(**changes).check_memory()
        return changes

    def put(self, name: str, entered: float | str) -> None:
        """Set one knob as `PageState.put`, with a specific message for one chain."""
        if name == "chains" and isinstance(entered, str) and entered.strip() in ("0", "1"):
            raise ValueError("K must be 2 or more: Eq. 4 is a covariance over chains, and one chain has none. Kept"
                             f" {self.chains}.")
        super().put(name, entered)

    def choose(self, name: str, value: Any) -> None:
        """Set the parameter of a menu or a segmented control, or the list of optimizers.

        Raises
        ------
        ValueError
            If no optimizer would be left or the runs would exceed memory, with a message for the user. Nothing has changed.
        """
        if name == "model":
            self.show_model(value)
        elif name == "optimizers" and not value:
            raise ValueError("One optimizer must stay on.")
        else:
            self.frozen().replace(**{name: value}).check_memory()
            self.param.update(**{name: value})

    def show_model(self, key: str) -> None:
        """Set a model and the shape of its generated data as in the paper, also as the new defaults."""
        self.base = self.base.of_model(key)
        self.load(self.frozen().of_model(key))

    def show_file(self, model: str, n: int, dim: int) -> None:
        """Set a file of n data in `dim` dimensions, with at most a fifth of the data in the coreset."""
        shape = MODELS[model]
        self.base = self.frozen().replace(
            model=model, data="file", n=n, dim=dim, size=min(shape.size, max(1, n // 5)), subsample=0,
            iterations=shape.iterations)
        self.load(self.base)

    @classmethod
    def read_query(cls, link: LinkReader, base: CoresetConfig) -> CoresetConfig:
        """Return `base` updated from the link; inconsistent values are clamped, with warnings."""
        words = link.words
        model = link.choice("kmodel", tuple(MODELS), base.model)
        link.texts["kmodel"] = model  # its warning has been added
        config = super().read_query(link, base.of_model(model) if model != base.model else base)
        if not config.optimizers:
            words.append("kopt names no optimizer; took Hot DoG.")
            config = config.replace(optimizers=("hot_dog",))
        if config.data == "file":
            words.append("The link was made on a file, which a link cannot hold; generated data are shown. Choose the file"
                         " again in the sidebar.")
            config = config.replace(data="generated")
        for name in ("size", "subsample"):
            if getattr(config, name) > config.n:
                words.append(f"{cls.param[name].plain} = {getattr(config, name):,} must be at most N = {config.n:,}; took"
                             f" {config.n:,}.")
                config = config.replace(**{name: config.n})
        if config.model == "bradley_terry" and config.dim < 2:
            words.append("d = 1 must be 2 teams or more; took 2.")
            config = config.replace(dim=2)
        if config.exceeds_memory:
            words.append(f"{len(config.keys)} runs of {config.iterations:,} iterations would need too much memory; took"
                         " T = 10,000.")
            config = config.replace(iterations=10_000)
        if config.exceeds_memory:
            words.append("These would still need too much memory; took Hot DoG alone.")
            config = config.replace(optimizers=("hot_dog",))
        return config


@frozen_copy_of(CoresetState)
class CoresetConfig(Frozen):
    """Configuration of the runs and of their display, for a worker."""

    @property
    def drawn(self) -> int:
        """Effective S: M if S is 0."""
        return self.subsample or self.size

    @property
    def keys(self) -> tuple[RunKey, ...]:
        """Keys of the runs, in the order of the table."""
        hots = {"on": (True,), "off": (False,), "both": (True, False)}[self.hot]
        return tuple(RunKey(optimizer, hot) for optimizer in self.optimizers for hot in hots)

    @property
    def shown(self) -> RunKey:
        """Run for which points are drawn: `focus`, or the first if there is no such run."""
        keys = self.keys
        return next((key for key in keys if key.text == self.focus), keys[0])

    @property
    def numbers(self) -> int:
        """Number of stored values: draws and squares, norms, sums and potentials of every iteration of every run."""
        rows = max(4096, 1 << (self.iterations - 1).bit_length())
        return len(self.keys) * rows * (2 * (self.dim + 2) + 2 + self.chains)

    @property
    def exceeds_memory(self) -> bool:
        """Whether the runs would store more than `MOST_NUMBERS` values."""
        return self.numbers > MOST_NUMBERS

    def check_memory(self) -> None:
        """Check that the runs fit into memory.

        Raises
        ------
        ValueError
            If they do not, with a message for the user.
        """
        if self.exceeds_memory:
            raise ValueError(f"{len(self.keys)} runs of {self.iterations:,} iterations in {self.dim} dimensions would store"
                             f" {8 * self.numbers / 1e9:.1f} GB; switch some off, or lower T. Nothing was changed.")

    def of_model(self, key: str) -> CoresetConfig:
        """Return the same runs on another model's generated data, at its shape in the paper."""
        shape = MODELS[key]
        return self.replace(model=key, data="generated", n=shape.n, dim=shape.dim, size=shape.size, subsample=0,
                            iterations=shape.iterations)


PRESETS: dict[str, Preset] = {preset.key: preset for preset in (
    Preset("tie", "All tie at the floor",
           "Gaussian location. Every optimizer at a sensible rate ends at the dashed floor, which is due to subsampling"
           " only; ADAM at its usual default, 0.001, does not reach it.",
           CoresetConfig()),
    Preset("far", "A far start, hot and cold",
           "The chains start 300 posterior standard deviations away. Trained from the first step, the weights never"
           " recover; after a hot start every optimizer does. Prodigy needs it least.",
           CoresetConfig(size=100, iterations=20_000, kernel="ar", start="far", hot="both",
                         optimizers=("hot_dog", "dog", "prodigy"))),
    Preset("blind", "Blind to spread",
           "ADAM at a rate of 10: a z-score as good as the others’, and a posterior many times too narrow. Look at the"
           " variance ratio.",
           CoresetConfig(size=100, adam_constant=10.0, optimizers=("hot_dog", "d_adaptation", "adam_const"))),
    Preset("poisson", "Counts in the hundreds",
           "Poisson regression: the mode is hundreds of prior standard deviations from the start of the chains. The first"
           " gradients are a million times too large, and the hot start waits until they are smaller.",
           CoresetConfig().of_model("poisson").replace(hot="both", optimizers=("hot_dog", "adam_sqrt"), adam_rate=10.0)),
)}
"""Key -> preset."""
CoresetState.presets, CoresetState.preset_key, CoresetState.looks = PRESETS, "kpreset", ("focus", "view")
