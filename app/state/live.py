"""`LiveState`: user settings of the Live page: the sampler, its problem and stream, and the display of the run."""

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
"""Version of the links."""

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
"""(label, unit of the rate: "steps" or "epochs", rate per second)."""

DEFAULT_SPEED = 8
"""Index of "8 epochs a second"."""

SWITCHES = ("variance_reduction", "reset", "random_length", "refresh")
SAMPLER = ("eta0", "batch_size", "i_max", "acceptance_radius", "escape_radius", "offset")
"""Knobs that act without a restart; R changes the counts of exits, the others the chains."""
EVERY_SWITCH = (*SWITCHES, "forget")
"""Switches of the sampler, and that of the run."""
WINDOW = 200
"""Number of most recent rows that the target keeps if old data are forgotten."""
MORE = SAMPLER[-2:]
"""Rarely used knobs, shown in a collapsed section."""
RESTARTING = ("problem", "stream", "algorithm", "chains", "seed", "forget", "user_data")
"""Parameters for which a change starts a new run."""


class LiveState(PageState):
    """Settings of a run of Online SAGA-LD, plain or preconditioned, and of its display."""

    problem = Choice("logistic2", [*PROBLEMS, OWN], "target", "What is sampled.", key="problem")
    stream = Choice("paper", [*STREAMS, OWN], "stream", "How the data arrive.", key="stream")
    algorithm = Choice(PLAIN, ALGORITHMS, "algorithm", "Sampler of the chains; a change restarts the run.",
                       key="algorithm")

    eta0 = Knob(1.0, 0.001, 30.0, "step size", "Step size: η₀/(t + c) in epoch t.",
                symbol="η<sub>0</sub>", plain="η₀", key="eta0", term="step size")
    batch_size = Knob(9, 1, 256, "batch per step", "Data drawn per step to estimate the gradient.", symbol="b", plain="b",
                      key="b", whole=True, term="batch")
    i_max = Knob(60, 1, 2000, "steps per epoch", "Maximum steps in one epoch; with random length their number is uniform"
                 " from 1 to iₘₐₓ.", symbol="i<sub>max</sub>", plain="iₘₐₓ", key="imax", whole=True,
                 term="run length")
    acceptance_radius = Knob(22.0, 0.1, 3000.0, "reset beyond", "Acceptance radius: a chain farther than C′/√(t + c) from"
                             " its checkpoint is reset to it.", symbol="C′", plain="C′", key="C", token="acc",
                             term="acceptance ball")
    escape_radius = Knob(16.0, 0.1, 3000.0, "escape radius", "Escape radius: the ball of radius R/√(t + c) around the mode"
                         " that a chain should not leave. It changes the counts, not the chains.", symbol="R", plain="R",
                         key="R", token="esc", term="escape ball")
    offset = Knob(1.0, 0.0, 100.0, "time offset", "Offset of the schedule: steps and balls shrink with t + c.",
                  symbol="c", plain="c", key="c", scale="log1p", term="time offset", least=1e-3)
    chains = Knob(64, 1, 512, "chains", "Independent chains on the same stream; a change restarts the run.", plain="chains",
                  key="chains", whole=True)
    seed = Knob(0, 0, 999_999, "seed", "Seed of the stream and of the chains; a change restarts the run.", plain="seed",
                key="seed", scale="none", whole=True)

    variance_reduction = Switch(True, "Variance reduction", "Correct the gradient estimate with cached gradients (SAGA).",
                                key="vr", term="variance reduction")
    reset = Switch(True, "Reset to checkpoint", "Reset a chain farther than C′/√(t + c) from its checkpoint to it.",
                   key="reset", term="reset")
    random_length = Switch(True, "Random number of steps", "Draw the steps of an epoch from 1 to iₘₐₓ; off: always iₘₐₓ.",
                           key="random", term="run length")
    refresh = Switch(True, "Refresh stale gradients", "Recompute a cached gradient once it is older than t/2.",
                     key="refresh", term="refresh")
    forget = Switch(False, "Forget old data", f"Keep only the last {WINDOW} data, for the chains and for their target; a"
                    " change restarts the run.", key="forget", term="forgetting")

    speed = Choice(DEFAULT_SPEED, range(len(SPEEDS)), "speed", "Steps (`s`) or epochs (`e`) per second; `max`.", key="speed",
                   tokens=["max" if math.isinf(rate) else f"{rate:g}{counts[0]}" for _, counts, rate in SPEEDS])
    follow = Followed(0, allow_None=True, key="follow", doc="Chain drawn with its acceptance ball.")
    axes = Axes((0, 1), key="axes", doc="Two coordinates, or 'principal'.")
    rescaled = Choice(False, (False, True), "view", "Whether to draw (x - mode) √(t + c) instead of x.", key="view",
                      tokens=("asis", "rescaled"))
    user_data = param.Parameter(None, doc="The user's data, for the problem 'given'; not stored in links.")

    def __init__(self, **params: Any) -> None:
        super().__init__()
        opens = {name: params[name] for name in ("problem", "user_data", "algorithm") if name in params}
        self.load(default_config(**opens).replace(**params))

    def load(self, record: LiveConfig) -> None:
        """Set everything from a frozen copy; the user's data are kept if it has none."""
        record = record.replace(user_data=record.user_data or self.user_data)
        self.base = default_config(record.problem, record.user_data, record.algorithm)
        super().load(record)

    def frozen(self) -> LiveConfig:
        """Return a copy that never changes, with the user's data only if the problem uses them."""
        return super().frozen().replace(user_data=self.user_data if self.problem == OWN else None)

    @property
    def choice(self) -> ProblemChoice:
        """The chosen problem."""
        return choice_of(self.problem, self.user_data)

    @property
    def at_defaults(self) -> bool:
        """Whether all knobs and switches of the sampler have the problem's defaults."""
        return all(getattr(self, name) == getattr(self.base, name) for name in (*SAMPLER, *EVERY_SWITCH))

    @param.depends("problem", "user_data", "algorithm", watch=True)
    def _load_defaults(self) -> None:
        """Load the defaults of a newly selected problem or algorithm; undo an invalid selection with ValueError."""
        here, base = self.user_data if self.problem == OWN else None, self.base
        if (base.problem, base.user_data, base.algorithm) == (self.problem, here, self.algorithm):
            return
        refused = "problem must not be 'given' without data; set `user_data` first."
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
        """Switch forgetting off for a user-supplied gradient, which does not support it."""
        if self.forget and self.user_data is not None and self.choice.problem.kind == "oracle":
            self.forget = False

    def changes_for(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Return all changes of setting a knob; raise ValueError for one that the algorithm does not use."""
        unused = ALGORITHMS[self.algorithm].unused.get(name)
        if unused:
            knob = self.param[name]
            raise ValueError(f"{knob.plain} is {unused}. Kept {knob.format_value(getattr(self, name))}.")
        return super().changes_for(name, value, typed)

    @param.depends("chains", "follow", "axes", "problem", "user_data", watch=True)
    def _keep_view(self) -> None:
        """Keep the followed chain and the axes within the number of chains and coordinates."""
        self.param.update(**view_within(self.follow, self.axes, self.chains, self.choice.dim))

    # Links ------------------------------------------------------------------------------------------------

    @classmethod
    def to_query(cls, record: LiveConfig) -> dict[str, str]:
        """Return a frozen copy, or a state, as URL parameters; `from_query` is the inverse."""
        return live_query(record, cls.linked())

    @classmethod
    def from_query(cls, query: dict[str, Any] | None, user_data: UserData | None = None) -> tuple[LiveConfig, list[str]]:
        """Read URL parameters (str, bytes, numbers, or lists of them: the last is used). Never raises.

        Return the configuration and one warning per invalid value, with the value used instead. `user_data` are the
        user's data, if the page has any.
        """
        link = LinkReader(query)
        return live_in(link, LiveMenu(cls.linked(), user_data)), link.words


def with_problem(config: LiveConfig, menu: LiveMenu) -> LiveConfig:
    """Return a new problem's defaults with the same speed and, if both problems have them, stream and algorithm."""
    problem, algorithm = config.problem, config.algorithm
    default = menu.default(problem, PLAIN if menu.refusal(problem, algorithm) else algorithm)
    return default.replace(speed=config.speed, stream=default.stream if OWN in (problem, config.stream) else config.stream)


def with_algorithm(config: LiveConfig, base: LiveConfig, menu: LiveMenu) -> LiveConfig:
    """Return a copy with a new algorithm's defaults for the knobs that equal those of ``base``; the others are kept."""
    default = menu.default(config.problem, config.algorithm)
    return config.replace(**{name: getattr(default, name) for name in SAMPLER
                             if getattr(config, name) == getattr(base, name)})


def view_within(follow: int | None, axes: tuple[int, int] | str, chains: int, dim: int) -> dict[str, Any]:
    """Return the followed chain and the axes, limited to ``chains`` and ``dim``."""
    there = axes == "principal" or all(0 <= axis < dim for axis in axes)
    return {"follow": follow if follow is None or 0 <= follow < chains else chains - 1, "axes": axes if there else (0, 1)}


def live_query(record: LiveConfig, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return a configuration as URL parameters; ``parameters`` maps names to the parameters stored in links."""
    return {"v": VERSION, **{one.key: one.write(getattr(record, name)) for name, one in parameters.items()}}


def live_in(link: LinkReader, menu: LiveMenu) -> LiveConfig:
    """Return the configuration in a link, among the options of ``menu``."""
    parameters, version = menu.parameters, link.text("v")
    if version is not None and version != VERSION:
        link.words.append(f"This link has version {shown(version)}, not {VERSION}; unknown keys were ignored.")
    if link.text("problem") == OWN and not menu.has_own:
        link.words.append(f"This link was made on a user's own data, which are not loaded here: {menu.action}."
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
    """Return `base` updated from the link, with the same problem and algorithm."""
    parameters, apart = menu.parameters, ("problem", "algorithm", "stream", "follow", "axes")
    config = base.replace(**{name: one.from_link(link, getattr(base, name)) for name, one in parameters.items()
                             if name not in apart})
    streams = [name for name in parameters["stream"].objects if name != OWN]
    stream = OWN if base.problem == OWN else link.choice("stream", streams, base.stream)
    follow = parameters["follow"].from_link(link, base.follow, config.chains)
    axes = parameters["axes"].from_link(link, base.axes, menu.dim(base.problem))
    return config.replace(stream=stream, follow=follow, axes=axes)


class LiveMenu(NamedTuple):
    """Options of a link: the parameters stored in links by name, and the user's data, if any."""

    parameters: Mapping[str, Any]
    user_data: UserData | None
    action: str = "give them on the Tune page"  #: remedy for a link whose data are missing

    @property
    def has_own(self) -> bool:
        """Whether there are user-supplied data."""
        return self.user_data is not None

    def default(self, problem: str, algorithm: str) -> LiveConfig:
        """Return `default_config` of a problem and an algorithm."""
        return default_config(problem, self.user_data if problem == OWN else None, algorithm)

    def refusal(self, problem: str, algorithm: str) -> str:
        """Return why an algorithm cannot run on a problem; "" if it can."""
        return refusal(algorithm, choice_of(problem, self.user_data))

    def dim(self, problem: str) -> int:
        """Return a problem's dimension."""
        return choice_of(problem, self.user_data).dim


@frozen_copy_of(LiveState)
class LiveConfig(Frozen):
    """Configuration of a run and its display, for the engine."""

    @cached_property
    def settings(self) -> Settings:
        """Settings of the sampler: eta0, b, i_max, C', c and the switches."""
        return Settings(self.eta0, self.batch_size, self.i_max, self.acceptance_radius, self.offset,
                        **{name: getattr(self, name) for name in SWITCHES})

    def replace(self, settings: Settings | None = None, **changes: Any) -> LiveConfig:
        """Return a copy with some fields changed; `settings` sets all those of the sampler."""
        return super().replace(**(settings.to_dict() if settings is not None else {}), **changes)

    @property
    def knobs(self) -> tuple[Settings, float]:
        """Values that can change without a restart: settings and escape radius."""
        return self.settings, self.escape_radius

    def turned(self, knobs: tuple[Settings, float]) -> LiveConfig:
        """Return a copy with other `knobs`."""
        return self.replace(knobs[0], escape_radius=knobs[1])

    def restarts(self, other: LiveConfig) -> bool:
        """Return whether a change to `other` requires a new run."""
        return any(getattr(self, name) != getattr(other, name) for name in RESTARTING)


def default_config(problem: str = "logistic2", user_data: UserData | None = None, algorithm: str = PLAIN) -> LiveConfig:
    """Return the initial configuration of a problem, with knobs clamped to the page's ranges.

    For other algorithms than the plain one, C' and the steps are the algorithm's tuning-free defaults in two digits; R and
    c, which define the escape ball, and the seed are the problem's.

    Raises
    ------
    ValueError
        If the problem or the algorithm is unknown, or the algorithm does not support the problem.
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
    """Return a number rounded to two significant digits."""
    return float(f"{value:.2g}")


VALLEY = {"stream": "ill_conditioned", "seed": 0, "escape_radius": 45.0, "batch_size": 9, "i_max": 30}
"""Knobs of a target eight times as long as wide; an epoch has 140 gradient evaluations."""

PRESETS: dict[str, Preset] = {preset.key: preset for preset in (
    Preset("valley", "A long valley, SAGA-LD",
           "Steps small enough for the narrow direction are slow along the long one: watch the memory.",
           default_config("linear2").replace(**VALLEY, acceptance_radius=300.0)),
    Preset("metric", "Same budget, another metric",
           "In the metric of the curvature so far the valley is round; the acceptance ball is an ellipse here.",
           default_config("linear2", algorithm="preconditioned").replace(**VALLEY, eta0=0.2, acceptance_radius=6.0)),
)}
LiveState.presets, LiveState.looks = PRESETS, ("speed", "follow", "axes", "rescaled")
