"""What the user can set on the Coreset page: model, data, coreset MCMC and its optimizers, and what is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from app.state.page_state import Frozen, PageState, Preset, frozen_copy_of
from app.state.parameters.knob import Choice, Choices, Knob, in_link
from app.state.parameters.knob_values import LinkReader


@dataclass(frozen=True)
class ModelShape:
    """One entry of the model menu, and the sizes it opens with."""

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
        "The prior says nearly all here: any sampler of it scores well. A poor test of anything."),
}
"""Key -> model."""
OPTIMIZERS = ("hot_dog", "dog", "dowg", "d_adaptation", "prodigy", "adam_sqrt", "adam_const", "untrained")
RATES = {"hot_dog": "reach", "dog": "reach", "dowg": "reach", "d_adaptation": "guess", "prodigy": "guess",
         "adam_sqrt": "adam_rate", "adam_const": "adam_constant"}
"""Optimizer -> the knob that only some optimizers read."""
MOST_NUMBERS = 90_000_000
"""Numbers that all runs may keep together, 8 bytes each."""


class RunName(in_link(param.String)):
    """Name of the run whose points are drawn, as `RunKey.text`."""

    def from_link(self, link: LinkReader, default: str) -> str:
        """Return what a link names; a run that is not there is passed over when points are drawn."""
        return (link.text(self.key) or default)[:40]


@dataclass(frozen=True)
class RunKey:
    """One line of the figures: an optimizer, with or without the hot start."""

    optimizer: str
    hot: bool

    @property
    def text(self) -> str:
        """As a link and a table row name it."""
        return f"{self.optimizer}{'' if self.hot else '-cold'}"


class CoresetState(PageState):
    """Coreset MCMC with several optimizers on one model, same seed and same coreset for all."""

    model = Choice("gaussian", tuple(MODELS), "model", "What is sampled.", key="kmodel")
    data = Choice("generated", ("generated", "file"), "", "Generated data, or a file of your own.", key="kdata")
    n = Knob(10_000, 20, 200_000, "data", "Number of generated data.", symbol="N", plain="N", key="kN", whole=True)
    dim = Knob(20, 1, 60, "dimension", "Features (or teams, or coordinates) of the generated data.", symbol="d", plain="d",
               key="kd", whole=True)
    size = Knob(500, 1, 20_000, "coreset points", "Points of the coreset, drawn once; weights begin at N/M.", symbol="M",
                plain="M", key="kM", whole=True)
    subsample = Knob(0, 0, 20_000, "data a step", "Data drawn afresh at every iteration to guess the gradient.",
                     symbol="S", plain="S", key="kS", scale="log1p", whole=True, lowest="M")
    chains = Knob(2, 2, 32, "chains", "Chains; the gradient of Eq. 4 is a covariance over them, so two at least.",
                  symbol="K", plain="K", key="kK", whole=True)
    iterations = Knob(50_000, 100, 200_000, "iterations", "Iterations, warm-up included. Raise it and the runs go on.",
                      symbol="T", plain="T", key="kT", whole=True)
    optimizers = Choices(("hot_dog", "dog", "adam_sqrt", "adam_const"), OPTIMIZERS, "Optimizers", key="kopt")
    reach = Knob(1e-3, 1e-6, 1e3, "first distance", "How far Hot DoG moves every weight in its first step; the distance"
                 " that DoG and DoWG assume at first.", symbol="r", plain="r", key="kr")
    adam_rate = Knob(1.0, 1e-5, 1e4, "decaying rate", "Rate of ADAM, divided by the root of the iteration.", symbol="γ/√t",
                     plain="γ/√t", key="kg")
    adam_constant = Knob(1e-3, 1e-5, 1e4, "constant rate", "Rate of ADAM that does not decay; 0.001 is what libraries"
                         " ship.", symbol="γ", plain="γ", key="kgc")
    guess = Knob(1e-6, 1e-9, 1e3, "first guess", "Lower bound of the distance that D-Adaptation and Prodigy begin with.",
                 symbol="d<sub>0</sub>", plain="d₀", key="kd0")
    hot = Choice("on", ("on", "off", "both"), "hot start", "For every optimizer alike.", key="khot")
    threshold = Knob(0.5, 1e-3, 10.0, "passes below", "The hot start passes once the statistic is below it; the paper’s is"
                     " 0.5.", plain="the threshold", key="kc")
    cap = Knob(10_000, 30, 100_000, "waits at most", "Iterations after which the weights are trained all the same.",
               plain="the cap", key="kcap", whole=True)
    start = Choice("default", ("default", "near", "far"), "start", "Where the chains start.", key="kstart")
    kernel = Choice("exact", ("exact", "ar"), "kernel", "Of the Gaussian model; the other one remembers its last draw.",
                    key="kkernel")
    seed = Knob(0, 0, 999_999, "seed", "Seed of the data, the coreset and the chains.", plain="seed", key="kseed",
                scale="none", whole=True)
    focus = RunName("hot_dog", key="kshow", doc="Run whose points are drawn.")
    view = Choice("response", ("response", "principal"), "view", "Axes of the points.", key="kview")

    def taken_along(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Refuse more points than data and runs that memory cannot hold; fewer data take M and S along."""
        kept = f"Kept {self.param[name].say(getattr(self, name))}."
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
        self.frozen().replace(**changes).refuse_too_much()
        return changes

    def put(self, name: str, entered: float | str) -> None:
        """Set one knob, see `PageState.put`; one chain is refused with the reason."""
        if name == "chains" and isinstance(entered, str) and entered.strip() in ("0", "1"):
            raise ValueError("K must be 2 or more: Eq. 4 is a covariance over chains, and one chain has none. Kept"
                             f" {self.chains}.")
        super().put(name, entered)

    def choose(self, name: str, value: Any) -> None:
        """Set a menu, a segmented control or the list of optimizers.

        Raises
        ------
        ValueError
            Words for the user, when no optimizer would be left or the runs asked for too much memory. Nothing has changed.
        """
        if name == "model":
            self.show_model(value)
        elif name == "optimizers" and not value:
            raise ValueError("One optimizer must stay on.")
        else:
            self.frozen().replace(**{name: value}).refuse_too_much()
            self.param.update(**{name: value})

    def show_model(self, key: str) -> None:
        """Set a model and the shape of its generated data, as in the paper; knobs lead back to that shape."""
        self.base = self.base.of_model(key)
        self.load(self.frozen().of_model(key))

    def show_file(self, model: str, n: int, dim: int) -> None:
        """Set a file that was read, of n data in so many dimensions: a fifth of them at most in the coreset."""
        shape = MODELS[model]
        self.base = self.frozen().replace(
            model=model, data="file", n=n, dim=dim, size=min(shape.size, max(1, n // 5)), subsample=0,
            iterations=shape.iterations)
        self.load(self.base)

    @classmethod
    def read_query(cls, link: LinkReader, base: CoresetConfig) -> CoresetConfig:
        """Return `base` with what the link says, and with what cannot be together clamped in words."""
        words = link.words
        model = link.choice("kmodel", tuple(MODELS), base.model)
        link.texts["kmodel"] = model  # what is wrong with it has been said
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
        if config.too_much:
            words.append(f"{len(config.keys)} runs of {config.iterations:,} iterations would need too much memory; took"
                         " T = 10,000.")
            config = config.replace(iterations=10_000)
        if config.too_much:
            words.append("Even so they would; took Hot DoG alone.")
            config = config.replace(optimizers=("hot_dog",))
        return config


@frozen_copy_of(CoresetState)
class CoresetConfig(Frozen):
    """The runs and what is shown of them, as a worker takes them."""

    @property
    def drawn(self) -> int:
        """S as it is run."""
        return self.subsample or self.size

    @property
    def keys(self) -> tuple[RunKey, ...]:
        """The runs, in the order of the table."""
        hots = {"on": (True,), "off": (False,), "both": (True, False)}[self.hot]
        return tuple(RunKey(optimizer, hot) for optimizer in self.optimizers for hot in hots)

    @property
    def shown(self) -> RunKey:
        """The run whose points are drawn: the first when the one named is not run."""
        keys = self.keys
        return next((key for key in keys if key.text == self.focus), keys[0])

    @property
    def numbers(self) -> int:
        """Numbers that the runs will keep: draws and squares, norms, sums and potentials of every iteration."""
        rows = max(4096, 1 << (self.iterations - 1).bit_length())
        return len(self.keys) * rows * (2 * (self.dim + 2) + 2 + self.chains)

    @property
    def too_much(self) -> bool:
        """Whether the runs would not fit into memory."""
        return self.numbers > MOST_NUMBERS

    def refuse_too_much(self) -> None:
        """Refuse runs that do not fit into memory.

        Raises
        ------
        ValueError
            In words, with what to change.
        """
        if self.too_much:
            raise ValueError(f"{len(self.keys)} runs of {self.iterations:,} iterations in {self.dim} dimensions would keep"
                             f" {8 * self.numbers / 1e9:.1f} GB; switch some off, or lower T. Kept what was.")

    def of_model(self, key: str) -> CoresetConfig:
        """Return the same runs on another model's generated data, at its shape in the paper."""
        shape = MODELS[key]
        return self.replace(model=key, data="generated", n=shape.n, dim=shape.dim, size=shape.size, subsample=0,
                            iterations=shape.iterations)


PRESETS: dict[str, Preset] = {preset.key: preset for preset in (
    Preset("tie", "All tie at the floor",
           "Gaussian location. Whatever trains at a sensible rate ends at the dashed floor, which only the subsampling"
           " sets; ADAM as shipped, at 0.001, does not get there.",
           CoresetConfig()),
    Preset("far", "A far start, hot and cold",
           "The chains start 300 posterior deviations away. Trained from the first step, the weights never recover;"
           " after a hot start every optimizer does. Prodigy needs it least.",
           CoresetConfig(size=100, iterations=20_000, kernel="ar", start="far", hot="both",
                         optimizers=("hot_dog", "dog", "prodigy"))),
    Preset("blind", "Blind to spread",
           "ADAM at a rate of 10: a z-score as good as the others’, and a posterior many times too narrow. Look at the"
           " variance ratio.",
           CoresetConfig(size=100, adam_constant=10.0, optimizers=("hot_dog", "d_adaptation", "adam_const"))),
    Preset("poisson", "Counts in the hundreds",
           "Poisson regression: the mode lies hundreds of prior deviations from where the chains start. The first"
           " gradients are a million times too large, and the hot start waits them out.",
           CoresetConfig().of_model("poisson").replace(hot="both", optimizers=("hot_dog", "adam_sqrt"), adam_rate=10.0)),
)}
"""Key -> picture to try."""
CoresetState.presets, CoresetState.preset_key, CoresetState.looks = PRESETS, "kpreset", ("focus", "view")
