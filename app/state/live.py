"""What the user can set on the Live page: the sampler, its problem and stream, and how the run is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import param

from app.state.live_menu import ALGORITHMS, PROBLEMS, STREAMS, ProblemChoice, choice_of, refusal
from app.state.page_state import Frozen, PageState, Preset, frozen_copy_of
from app.state.parameters.knob import Axes, Choice, Followed, Knob, Switch
from app.state.parameters.knob_values import LinkReader, shown
from app.state.user_data import OWN, UserData
from sampler import Settings
from sampler.algorithms import ONLINE_ALGORITHMS, PLAIN

VERSION = "1"
"""Of the links."""

SPEEDS: tuple[tuple[str, str, float], ...] = (
    ("1 step a second", "steps", 1.0),
    ("2 steps a second", "steps", 2.0),
    ("4 steps a second", "steps", 4.0),
    ("10 steps a second", "steps", 10.0),
    ("half an epoch a second", "epochs", 0.5),
    ("1 epoch a second", "epochs", 1.0),
    *((f"{2**k} epochs a second", "epochs", float(2**k)) for k in range(1, 8)),
    ("as fast as it goes", "epochs", math.inf),
)
"""(label, what the rate counts: "steps" or "epochs", rate a second)."""

DEFAULT_SPEED = 8
"""Index of "8 epochs a second"."""

SWITCHES = ("variance_reduction", "reset", "random_length", "refresh")
SAMPLER = ("eta0", "batch_size", "i_max", "acceptance_radius", "escape_radius", "offset")
"""Knobs that act at once; R changes what is counted, the others the chains."""
EVERY_SWITCH = (*SWITCHES, "forget")
"""Those of the sampler, and the one of the run."""
WINDOW = 200
"""Rows that count where old ones are forgotten."""
MORE = SAMPLER[-2:]
"""Those of them that are seldom turned: they stand behind a fold."""
RESTARTING = ("problem", "stream", "algorithm", "chains", "seed", "forget", "user_data")
"""What starts a new run when it changes."""


class LiveState(PageState):
    """A run of Online SAGA-LD, plain or preconditioned, and its view."""

    problem = Choice("logistic2", [*PROBLEMS, OWN], "target", "What is sampled.", key="problem")
    stream = Choice("paper", [*STREAMS, OWN], "stream", "How the data arrive.", key="stream")
    algorithm = Choice(PLAIN, ALGORITHMS, "algorithm", "Which sampler moves the chains; a change starts again.",
                       key="algorithm")

    eta0 = Knob(1.0, 0.001, 30.0, "step size", "Step size: a step of epoch t is η₀/(t + c) long.",
                symbol="η<sub>0</sub>", plain="η₀", key="eta0", term="step size")
    batch_size = Knob(9, 1, 256, "batch a step", "Data drawn at each step to guess the gradient.", symbol="b", plain="b",
                      key="b", whole=True, term="batch")
    i_max = Knob(60, 1, 2000, "steps an epoch", "Most steps in one epoch; with random length their number is drawn evenly"
                 " from 1 to iₘₐₓ.", symbol="i<sub>max</sub>", plain="iₘₐₓ", key="imax", whole=True,
                 term="run length")
    acceptance_radius = Knob(22.0, 0.1, 3000.0, "reset beyond", "Acceptance radius: a chain farther than C′/√(t + c) from"
                             " its checkpoint is put back there.", symbol="C′", plain="C′", key="C", token="acc",
                             term="acceptance ball")
    escape_radius = Knob(16.0, 0.1, 3000.0, "escape radius", "Escape radius: the ball R/√(t + c) round the mode that a"
                         " chain should not leave. It changes what is counted, not the chains.", symbol="R", plain="R",
                         key="R", token="esc", term="escape ball")
    offset = Knob(1.0, 0.0, 100.0, "time offset", "Offset of the schedule: steps and balls shrink with t + c.",
                  symbol="c", plain="c", key="c", scale="log1p", term="time offset", least=1e-3)
    chains = Knob(64, 1, 512, "chains", "Independent chains on the same stream; a change starts again.", plain="chains",
                  key="chains", whole=True)
    seed = Knob(0, 0, 999_999, "seed", "Seed of the stream and of the chains; a change starts again.", plain="seed",
                key="seed", scale="none", whole=True)

    variance_reduction = Switch(True, "Variance reduction", "Correct the guessed gradient with the cached ones (SAGA).",
                                key="vr", term="variance reduction")
    reset = Switch(True, "Reset to checkpoint", "Put a chain that strayed beyond C′/√(t + c) back at its checkpoint.",
                   key="reset", term="reset")
    random_length = Switch(True, "Random number of steps", "Draw the steps of an epoch from 1 to iₘₐₓ; off: always iₘₐₓ.",
                           key="random", term="run length")
    refresh = Switch(True, "Refresh stale gradients", "Recompute a cached gradient once it is older than t/2.",
                     key="refresh", term="refresh")
    forget = Switch(False, "Forget old data", f"Only the last {WINDOW} data count, for the chains and for their target; a"
                    " change starts again.", key="forget", term="forgetting")

    speed = Choice(DEFAULT_SPEED, range(len(SPEEDS)), "speed", "Steps (`s`) or epochs (`e`) a second; `max`.", key="speed",
                   tokens=["max" if math.isinf(rate) else f"{rate:g}{counts[0]}" for _, counts, rate in SPEEDS])
    follow = Followed(0, allow_None=True, key="follow", doc="Chain shown with its acceptance ball.")
    axes = Axes((0, 1), key="axes", doc="Two coordinates, or 'principal'.")
    rescaled = Choice(False, (False, True), "view", "Whether to draw (x - mode) √(t + c) instead of x.", key="view",
                      tokens=("asis", "rescaled"))
    user_data = param.Parameter(None, doc="The user's own data, for the problem 'given'; they cannot be in a link.")

    def __init__(self, **params: Any) -> None:
        super().__init__()
        opens = {name: params[name] for name in ("problem", "user_data", "algorithm") if name in params}
        self.load(default_config(**opens).replace(**params))

    def load(self, record: LiveConfig) -> None:
        """Set everything from a frozen copy; the user's own data stay at hand when it has none."""
        record = record.replace(user_data=record.user_data or self.user_data)
        self.base = default_config(record.problem, record.user_data, record.algorithm)
        super().load(record)

    def frozen(self) -> LiveConfig:
        """Return a copy that never changes; it has the user's own data only if they are what is sampled."""
        return super().frozen().replace(user_data=self.user_data if self.problem == OWN else None)

    @property
    def choice(self) -> ProblemChoice:
        """The chosen problem."""
        return choice_of(self.problem, self.user_data)

    @property
    def at_defaults(self) -> bool:
        """Whether the sampler's knobs and switches stand as the problem opens."""
        return all(getattr(self, name) == getattr(self.base, name) for name in (*SAMPLER, *EVERY_SWITCH))

    @param.depends("problem", "user_data", "algorithm", watch=True)
    def _bring_defaults(self) -> None:
        """A problem, or an algorithm, chosen by itself brings its own defaults; what cannot be chosen is put back."""
        here, base = self.user_data if self.problem == OWN else None, self.base
        if (base.problem, base.user_data, base.algorithm) == (self.problem, here, self.algorithm):
            return
        refused = "problem must not be 'given' before there are data; set `user_data` first."
        if self.problem != OWN or here is not None:
            menu = LiveMenu(self.linked(), here)
            if (base.problem, base.user_data) != (self.problem, here):
                return self.load(with_problem(self.frozen(), menu))
            refused = refusal(self.algorithm, self.choice)
            if not refused:
                return self.load(with_algorithm(self.frozen(), base, menu))
        self.param.update(problem=base.problem, user_data=base.user_data, algorithm=base.algorithm)
        raise ValueError(refused)

    @param.depends("forget", "problem", "user_data", watch=True)
    def _keep_all(self) -> None:
        """A gradient of one's own cannot forget; the problem's note says so."""
        if self.forget and self.user_data is not None and self.choice.problem.kind == "oracle":
            self.forget = False

    def taken_along(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Return what changes with a knob; ValueError for one that the algorithm does not use."""
        unused = ALGORITHMS[self.algorithm].unused.get(name)
        if unused:
            knob = self.param[name]
            raise ValueError(f"{knob.plain} is {unused}. Kept {knob.say(getattr(self, name))}.")
        return super().taken_along(name, value, typed)

    @param.depends("chains", "follow", "axes", "problem", "user_data", watch=True)
    def _keep_view(self) -> None:
        """The followed chain and the axes are among those there are."""
        self.param.update(**view_within(self.follow, self.axes, self.chains, self.choice.dim))

    # Links ------------------------------------------------------------------------------------------------

    @classmethod
    def to_query(cls, record: LiveConfig) -> dict[str, str]:
        """Return a frozen copy, or a state, as URL parameters; `from_query` gives the same back."""
        return live_query(record, cls.linked())

    @classmethod
    def from_query(cls, query: dict[str, Any] | None, user_data: UserData | None = None) -> tuple[LiveConfig, list[str]]:
        """Read URL parameters (str, bytes, numbers, or lists of them: the last counts). Never raises.

        Returns the configuration and one sentence for each thing that was wrong and what was taken instead. `user_data`
        are the user's own data, if the page has any.
        """
        link = LinkReader(query)
        return live_in(link, LiveMenu(cls.linked(), user_data)), link.words


def with_problem(config: LiveConfig, menu: LiveMenu) -> LiveConfig:
    """Return all of a new problem's defaults; the speed and, where both problems have it, stream and algorithm stay."""
    problem, algorithm = config.problem, config.algorithm
    default = menu.default(problem, PLAIN if menu.refusal(problem, algorithm) else algorithm)
    return default.replace(speed=config.speed, stream=default.stream if OWN in (problem, config.stream) else config.stream)


def with_algorithm(config: LiveConfig, base: LiveConfig, menu: LiveMenu) -> LiveConfig:
    """Return a new algorithm's defaults for every knob that stood at those of ``base``; what the user has turned stays."""
    default = menu.default(config.problem, config.algorithm)
    return config.replace(**{name: getattr(default, name) for name in SAMPLER
                             if getattr(config, name) == getattr(base, name)})


def view_within(follow: int | None, axes: tuple[int, int] | str, chains: int, dim: int) -> dict[str, Any]:
    """Return the followed chain and the axes, among those there are."""
    there = axes == "principal" or all(0 <= axis < dim for axis in axes)
    return {"follow": follow if follow is None or 0 <= follow < chains else chains - 1, "axes": axes if there else (0, 1)}


def live_query(record: LiveConfig, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return a configuration as URL parameters; ``parameters`` are those of links by their names."""
    return {"v": VERSION, **{one.key: one.write(getattr(record, name)) for name, one in parameters.items()}}


def live_in(link: LinkReader, menu: LiveMenu) -> LiveConfig:
    """Return the configuration that a link holds, of what there is to choose."""
    parameters, version = menu.parameters, link.text("v")
    if version is not None and version != VERSION:
        link.words.append(f"This link has version {shown(version)}, not {VERSION}; the page took what it could.")
    if link.text("problem") == OWN and not menu.has_own:
        link.words.append(f"This link was made on somebody's own data, which are not here: {menu.give}."
                          " The page took problem = logistic2.")
        return menu.default("logistic2", PLAIN)
    problem = parameters["problem"].from_link(link, "logistic2")
    algorithm = parameters["algorithm"].from_link(link, PLAIN)
    refused = menu.refusal(problem, algorithm)
    if refused:
        link.words.append(refused)
        algorithm = PLAIN
    return read_live(link, menu.default(problem, algorithm), menu)


def read_live(link: LinkReader, base: LiveConfig, menu: LiveMenu) -> LiveConfig:
    """Return `base`, whose problem and algorithm stay, with what the link says."""
    parameters, apart = menu.parameters, ("problem", "algorithm", "stream", "follow", "axes")
    config = base.replace(**{name: one.from_link(link, getattr(base, name)) for name, one in parameters.items()
                             if name not in apart})
    streams = [name for name in parameters["stream"].objects if name != OWN]
    stream = OWN if base.problem == OWN else link.choice("stream", streams, base.stream)
    follow = parameters["follow"].from_link(link, base.follow, config.chains)
    axes = parameters["axes"].from_link(link, base.axes, menu.dim(base.problem))
    return config.replace(stream=stream, follow=follow, axes=axes)


class LiveMenu(NamedTuple):
    """What a link can choose from: the parameters of links by their names, and the user's own data, if there are any."""

    parameters: Mapping[str, Any]
    user_data: UserData | None
    give: str = "give them on the Tune page"

    @property
    def has_own(self) -> bool:
        """Whether there are data of the user's own."""
        return self.user_data is not None

    def default(self, problem: str, algorithm: str) -> LiveConfig:
        """As `default_config`."""
        return default_config(problem, self.user_data if problem == OWN else None, algorithm)

    def refusal(self, problem: str, algorithm: str) -> str:
        """Return why an algorithm cannot run on a problem; "" where it can."""
        return refusal(algorithm, choice_of(problem, self.user_data))

    def dim(self, problem: str) -> int:
        """Return a problem's dimension."""
        return choice_of(problem, self.user_data).dim


@frozen_copy_of(LiveState)
class LiveConfig(Frozen):
    """A run and its view, as the engine takes them."""

    @cached_property
    def settings(self) -> Settings:
        """What the sampler takes: eta0, b, i_max, C', c and the switches."""
        return Settings(self.eta0, self.batch_size, self.i_max, self.acceptance_radius, self.offset,
                        **{name: getattr(self, name) for name in SWITCHES})

    def replace(self, settings: Settings | None = None, **changes: Any) -> LiveConfig:
        """Return a copy with some values changed; `settings` stands for all of the sampler's."""
        return super().replace(**(settings.to_dict() if settings is not None else {}), **changes)

    @property
    def knobs(self) -> tuple[Settings, float]:
        """What can be turned without a restart: settings and escape radius."""
        return self.settings, self.escape_radius

    def turned(self, knobs: tuple[Settings, float]) -> LiveConfig:
        """Return a copy with other `knobs`."""
        return self.replace(knobs[0], escape_radius=knobs[1])

    def restarts(self, other: LiveConfig) -> bool:
        """Whether going from here to `other` needs a new run."""
        return any(getattr(self, name) != getattr(other, name) for name in RESTARTING)


def default_config(problem: str = "logistic2", user_data: UserData | None = None, algorithm: str = PLAIN) -> LiveConfig:
    """Return what a problem opens with; knobs out of the page's range are clamped.

    C' and the steps of another algorithm than the plain one are those it needs no tuning for, in two digits; R and c,
    which say where the escape ball stands, and the seed are the problem's.

    Raises
    ------
    ValueError
        When there is no such problem or algorithm, or the algorithm does not take the problem.
    """
    choice, own = choice_of(problem, user_data), problem == OWN
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm must be one of {', '.join(ALGORITHMS)}; got {algorithm!r}. Choose one.")
    if refused := refusal(algorithm, choice):
        raise ValueError(refused)
    settings = choice.settings
    if algorithm != PLAIN:
        untuned = ONLINE_ALGORITHMS[algorithm].default_settings(choice.dim, kind=choice.problem.kind)
        settings = untuned.replace(eta0=two_digits(untuned.eta0), offset=settings.offset,
                                   acceptance_radius=two_digits(untuned.acceptance_radius))
    values = {name: getattr(settings, name) for name in SAMPLER if name != "escape_radius"}
    values |= {"seed": choice.seed, "escape_radius": choice.escape_radius}
    return LiveConfig(problem=problem, stream=OWN if own else "paper", user_data=user_data if own else None,
                      algorithm=algorithm, **{name: LiveState.param[name].clamped(value) for name, value in values.items()})


def two_digits(value: float) -> float:
    """Return a number as its box has room for it."""
    return float(f"{value:.2g}")


VALLEY = {"stream": "ill_conditioned", "seed": 0, "escape_radius": 45.0, "batch_size": 9, "i_max": 30}
"""The target is eight times as long as wide; an epoch has 140 gradient evaluations."""

PRESETS: dict[str, Preset] = {preset.key: preset for preset in (
    Preset("valley", "A long valley, SAGA-LD",
           "Steps short enough for the narrow way walk the long way slowly: watch the memory.",
           default_config("linear2").replace(**VALLEY, acceptance_radius=300.0)),
    Preset("metric", "Same budget, another metric",
           "In the metric of the curvature seen so far the valley is round; the acceptance ball is the ellipse it is there.",
           default_config("linear2", algorithm="preconditioned").replace(**VALLEY, eta0=0.2, acceptance_radius=6.0)),
)}
LiveState.presets, LiveState.looks = PRESETS, ("speed", "follow", "axes", "rescaled")
