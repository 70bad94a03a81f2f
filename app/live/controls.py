"""`Controls`: everything the Live page lets a person set, and its conversion to and from a `LiveConfig`."""

from __future__ import annotations

import param

from app.live.config import DEFAULT_SPEED, SPEEDS, LiveConfig
from app.live.knobs import KNOBS, SWITCHES
from app.live.presets import PROBLEMS, STREAMS, ProblemChoice, choice_of, default_config
from app.live.user_defaults import OWN


def _number(name: str) -> param.Number:
    spec, default = KNOBS[name], default_config()
    value = getattr(default, name) if hasattr(default, name) else getattr(default.settings, name)
    kind = param.Integer if spec.whole else param.Number
    return kind(default=value, bounds=spec.limits, label=spec.words, doc=spec.help)


class Controls(param.Parameterized):
    """Everything a person can set, as parameters with bounds. Knows nothing of how it is shown."""

    eta0 = _number("eta0")
    batch_size = _number("batch_size")
    i_max = _number("i_max")
    acceptance_radius = _number("acceptance_radius")
    escape_radius = _number("escape_radius")
    offset = _number("offset")
    chains = _number("chains")
    seed = _number("seed")

    variance_reduction = param.Boolean(True, doc=SWITCHES["variance_reduction"][1])
    reset = param.Boolean(True, doc=SWITCHES["reset"][1])
    random_length = param.Boolean(True, doc=SWITCHES["random_length"][1])
    refresh = param.Boolean(True, doc=SWITCHES["refresh"][1])

    problem = param.Selector(default="logistic2", objects=[*PROBLEMS, OWN], doc="What is sampled.")
    stream = param.Selector(default="paper", objects=[*STREAMS, OWN], doc="How the data arrive.")
    given = param.Parameter(None, doc="A person's own data, for the problem 'given'.")

    speed = param.Integer(DEFAULT_SPEED, bounds=(0, len(SPEEDS) - 1), doc="Index into SPEEDS.")
    follow = param.Integer(0, allow_None=True, doc="Chain shown with its acceptance ball.")
    axes = param.Parameter((0, 1), doc="Two coordinates, or 'principal'.")
    rescaled = param.Boolean(False, doc="Draw (x - mode) √(t + c) instead of x.")

    @classmethod
    def of(cls, config: LiveConfig) -> Controls:
        """Return controls that stand as `config` says."""
        controls = cls()
        controls.load(config)
        return controls

    def load(self, config: LiveConfig) -> None:
        """Set every control from a configuration, in one batch of events."""
        settings = config.settings
        values = {name: getattr(settings, name) for name in (*SWITCHES, *KNOBS) if hasattr(settings, name)}
        values |= {name: getattr(config, name) for name in (
            "escape_radius", "chains", "seed", "problem", "stream", "speed", "follow", "axes", "rescaled", "given")}
        self.param.update(**values)

    def config(self) -> LiveConfig:
        """Return the configuration these controls stand for."""
        names = ("eta0", "batch_size", "i_max", "acceptance_radius", "offset", *SWITCHES)
        default = self.default
        settings = default.settings.replace(**{name: getattr(self, name) for name in names})
        follow = None if self.follow is None else min(self.follow, self.chains - 1)
        return LiveConfig(problem=self.problem, stream=self.stream, chains=self.chains, seed=self.seed,
                          settings=settings, escape_radius=self.escape_radius, speed=self.speed,
                          follow=follow, axes=self.axes, rescaled=self.rescaled,
                          given=self.given if self.problem == OWN else None)

    @property
    def default(self) -> LiveConfig:
        """The configuration that the chosen problem opens with."""
        return default_config(self.problem, self.given)

    @property
    def choice(self) -> ProblemChoice:
        """The chosen problem."""
        return choice_of(self.problem, self.given)

    def defaults(self) -> dict[str, float]:
        """Return knob -> default of the chosen problem."""
        config = self.default
        return {name: getattr(config.settings, name, None) if hasattr(config.settings, name)
                else getattr(config, name) for name in KNOBS}

    def to_defaults(self) -> None:
        """Put the sampler's knobs and switches back to the defaults of the chosen problem; keep the data."""
        config = self.default
        self.load(self.config().replace(settings=config.settings, escape_radius=config.escape_radius))

    def choose_problem(self, problem: str) -> None:
        """Change problem and load its own defaults; the speed and, where both have one, the stream stay."""
        config = default_config(problem, self.given)
        stream = config.stream if OWN in (problem, self.stream) else self.stream
        self.load(config.replace(speed=self.speed, stream=stream, given=self.given))

    def put(self, name: str, given: float | str) -> None:
        """Set one knob from a number or from what was typed.

        Raises
        ------
        ValueError
            The words for the person: what is wrong, the allowed range, what was kept. Nothing changed.
        """
        setattr(self, name, KNOBS[name].read(given, getattr(self, name)))
