"""User settings of the two races on the Offline page: on a Gaussian average, and on logistic regression."""

from __future__ import annotations

from typing import Any

import param

from app.state.page_state import Frozen, PageState, frozen_copy_of
from app.state.parameters.knob import Choice, Choices, Knob
from app.state.parameters.knob_values import LinkReader
from sampler.racing import PAPER_DATA

GAUSSIAN, LIKELIHOOD = "w2", "nll"
SAMPLERS = ("sgld", "saga", "svrg", "plus", "half", "uld", "ula")
GAUSSIAN_DIM = 10
PAPER_ROWS = {name: data.train for name, data in PAPER_DATA.items() if data.file}
"""Training rows of the bundled data sets of ZXG's Table 2."""
FEWEST_CHAINS = 20
"""Minimum of chains in the Gaussian race, unless 0: W2 needs their covariance."""


class Raced(Choices):
    """Samplers in a race; the empty value is "none" in links."""

    def write(self, value: tuple[str, ...]) -> str:
        """Return the text of a value in links."""
        return ",".join(value) or "none"

    def from_link(self, link: LinkReader, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return the samplers in a link; unknown ones are ignored, with a warning."""
        return () if link.text(self.key) == "none" else super().from_link(link, default)


class Source(Choice):
    """Source of a race's data; links cannot contain the user's file."""

    def write(self, value: str) -> str:
        """Return the text of a value in links."""
        return "generated" if value == "file" else super().write(value)

    def from_link(self, link: LinkReader, default: str) -> str:
        """Return the source in a link."""
        return link.choice(self.key, [name for name in self.objects if name != "file"], self.write(default))


class RaceState(PageState):
    """Common settings of both races: samplers on one data set of n terms."""

    n = Knob(whole=True, symbol="n", plain="n")
    passes = Knob(5.0, 0.5, 100.0, "data passes", "Gradient evaluations a chain may use, over n.", plain="passes")
    batch_size = Knob(1, 1, 100, "batch per step", "Gradients drawn at each step.", symbol="b", plain="b", whole=True)
    anchor_batch = Knob(100, 1, 50_000, "anchor batch", "Terms in SVRG-LD+'s anchor gradient; n is SVRG-LD.", symbol="B",
                        plain="B", whole=True, token="esc")
    every = Choice("auto", ["auto", "own"], "m", "Steps between two anchors: B/b with each sampler's own B, or m.")
    anchor_every = Knob(100, 1, 500_000, "anchor every", "Steps between two anchors.", symbol="m", plain="m", whole=True)
    step = Choice("best", ["best", "common"], "η", "One step size per sampler, or one for all.")
    step_size = Knob(symbol="η", plain="η", words="step size")
    chains = Knob(whole=True, symbol="K", plain="K", words="chains")
    seed = Knob(1, 0, 999_999, "seed", "Same seed, same data and same chains.", plain="seed", scale="none", whole=True)
    samplers = Raced(("sgld", "saga", "svrg", "plus"), SAMPLERS, "Samplers")
    rows = param.Integer(None, allow_None=True, precedence=-1, doc="Training rows of the user's file; None: a stream.")

    @classmethod
    def settable(cls) -> list[str]:
        """Return the names of the settings, in the order of definition."""
        return [name for name in super().settable() if name != "rows"]

    def changes_for(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Limit B to n, scale it with n, and select the user's η or m when its knob is set."""
        changes: dict[str, Any] = {name: value}
        n = self.n if self.rows is None else self.rows
        if name == "anchor_batch" and value > n:
            if typed:
                raise ValueError(f"B must be at most n = {n:,}, the number of data; B = n is SVRG-LD."
                                 f" Kept {self.param.anchor_batch.format_value(self.anchor_batch)}.")
            changes[name] = n
        if name == "n":
            changes["anchor_batch"] = min(value, max(1, round(self.anchor_batch * value / self.n)))
        if name == "step_size":
            changes["step"] = "common"
        if name == "anchor_every":
            changes["every"] = "own"
        return changes

    @param.depends("every", "anchor_batch", "batch_size", watch=True)
    def _follow_b(self) -> None:
        """Set m to B/b unless the user has set it."""
        if self.every == "auto":
            self.anchor_every = steps_between(self.anchor_batch, self.batch_size)

    def to_defaults(self, *names: str) -> None:
        """Reset the knobs, with B fitted to the data; the samplers and the source of the data are kept."""
        kept = {name: getattr(self, name) for name in ("samplers", "source") if name in self.settable()}
        base = DEFAULT_RACES[self.Record.view].replace(**kept)
        self.load(base if self.rows is None else base.with_batch(max(1, self.rows // 5)))

    @classmethod
    def to_query(cls, record: Any) -> dict[str, str]:
        """Return a race as URL parameters."""
        query = super().to_query(record)
        return query if record.every == "own" else query | {cls.param.anchor_every.key: "auto"}

    @classmethod
    def read_query(cls, link: LinkReader, base: Any) -> Any:
        """Return the race in a link; missing values of B and m are derived from the data."""
        key = cls.param.anchor_every.key
        every = "auto" if link.text(key) in (None, "auto") else "own"
        read = {name: knob.from_link(link, getattr(base, name)) for name, knob in cls.linked().items()
                if name != "anchor_every"}
        if not link.has(cls.param.anchor_batch.key):
            read["anchor_batch"] = max(1, read["n"] // 5)
        config = base.replace(**read, every="auto").with_batch(read["anchor_batch"])
        if every == "own":
            config = config.replace(every="own", anchor_every=cls.param.anchor_every.from_link(link, config.anchor_every))
        return config


class RaceRecord(Frozen):
    """Configuration of a race, for a worker."""

    @property
    def own_every(self) -> int | None:
        """m; None for B/b with each sampler's own B."""
        return None if self.every == "auto" else self.anchor_every

    def with_batch(self, anchor_batch: int) -> Any:
        """Return a copy with another B, and m = B/b unless the user has set m."""
        every = steps_between(anchor_batch, self.batch_size) if self.every == "auto" else self.anchor_every
        return self.replace(anchor_batch=anchor_batch, anchor_every=every)


def steps_between(anchor_batch: int, batch_size: int) -> int:
    """Return the default number of steps between two anchors of SVRG-LD+, B/b."""
    return max(1, anchor_batch // batch_size)


class GaussianState(RaceState):
    """Settings of the race in W2 to a Gaussian posterior, exact and by simulated chains."""

    n = Knob(500, 50, 50_000, "data", "Terms of the average, standard normal in 10 dimensions.", key="ogn")
    passes = Knob(key="ogp")
    batch_size = Knob(key="ogb")
    anchor_batch = Knob(key="ogB")
    anchor_every = Knob(key="ogm")
    step = Choice(key="ogstep")
    step_size = Knob(0.0113, 1e-7, 1.0, help="Step size of every sampler (CV-ULD: time δ of a step).", key="ogeta")
    chains = Knob(1000, 0, 5000, help="Simulated chains per point; lowest: exact lines only.", scale="log1p",
                  lowest="none", key="ogk")
    seed = Knob(key="ogs")
    samplers = Raced(key="ogon")

    def changes_for(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Refuse fewer chains than `FEWEST_CHAINS`, except 0."""
        if name == "chains" and 0 < value < FEWEST_CHAINS:
            if typed:
                raise ValueError(f"K must be {FEWEST_CHAINS} or more (W2 needs the chains' covariance), or none."
                                 f" Kept {self.param.chains.format_value(self.chains)}.")
            value = FEWEST_CHAINS if value > 4 else 0
        return super().changes_for(name, value, typed)

    @classmethod
    def read_query(cls, link: LinkReader, base: Any) -> Any:
        """Return the race in a link; invalid values of B and K are clamped, with warnings."""
        config = super().read_query(link, base)
        if config.anchor_batch > config.n:
            link.words.append(f"B = {config.anchor_batch:,} must be at most n = {config.n:,}; took n, which is SVRG-LD.")
            config = config.with_batch(config.n)
        if 0 < config.chains < FEWEST_CHAINS:
            link.words.append(f"K = {config.chains} must be {FEWEST_CHAINS} or more, or 0 for none; took {FEWEST_CHAINS}.")
            config = config.replace(chains=FEWEST_CHAINS)
        return config


@frozen_copy_of(GaussianState)
class GaussianConfig(RaceRecord):
    """Configuration of the Gaussian race."""

    view = GAUSSIAN


class LikelihoodState(RaceState):
    """Settings of the race in test likelihood of logistic regression, on a generated stream or the user's file."""

    source = Source("generated", ["generated", *PAPER_ROWS, "file"], "data",
                    "A generated stream, a data set of the paper's Table 2, or the user's file.", key="ofdata")
    n = Knob(3000, 20, 50_000, "training rows", "Rows of the generated stream; a third as many again are for the test.",
             key="ofn")
    dim = Knob(20, 1, 200, "features", "Features of the generated stream, without the intercept.", symbol="d", plain="d",
               key="ofd", whole=True)
    train = Knob(0.75, 0.1, 0.95, "training share", "Share of the file's rows; the others are the test.",
                 plain="training share", key="ofshare")
    prior_precision = Knob(1.0, 0.0, 1000.0, "prior precision", "Precision of the coefficients' prior N(0, λI).",
                           symbol="1/λ", plain="1/λ", key="ofprior", scale="log1p", lowest="flat")
    passes = Knob(10.0, key="ofp")
    batch_size = Knob(1, 1, 1000, key="ofb")
    anchor_batch = Knob(600, 1, 500_000, key="ofB")
    anchor_every = Knob(600, key="ofm")
    step = Choice(key="ofstep")
    step_size = Knob(3e-4, 1e-9, 1.0, help="Step size of every sampler but CV-ULD, whose step is a time.", key="ofeta")
    chains = Knob(10, 1, 200, help="The curve is their mean, the band one standard deviation.", key="ofk")
    seed = Knob(help="Same seed, same split and same chains.", key="ofs")
    samplers = Raced(key="ofon")
    average = Choice("path", ["path", "position"], "average", "Score the running average of each chain, or its position.",
                     key="ofavg")

    @param.depends("source", watch=True)
    def _count_rows(self) -> None:
        """Set the number of training rows if it is known before a run."""
        self.rows = PAPER_ROWS.get(self.source)

    def take(self, source: str) -> None:
        """Set the source of the data and fit B to it."""
        changes: dict[str, Any] = {"source": source}
        if PAPER_ROWS.keys() & {source, self.source}:
            changes["anchor_batch"] = max(1, PAPER_ROWS.get(source, self.n) // 5)
        self.param.update(**changes)

    @classmethod
    def read_query(cls, link: LinkReader, base: Any) -> Any:
        """Return the race in a link; on the paper's data a missing or too large B is derived from their rows."""
        config = super().read_query(link, base)
        rows = PAPER_ROWS.get(config.source)
        if rows is None or link.has(cls.param.anchor_batch.key) and config.anchor_batch <= rows:
            return config
        return config.with_batch(rows if link.has(cls.param.anchor_batch.key) else rows // 5)


@frozen_copy_of(LikelihoodState)
class LikelihoodConfig(RaceRecord):
    """Configuration of the likelihood race."""

    view = LIKELIHOOD


RaceConfig = GaussianConfig | LikelihoodConfig
DEFAULT_RACES = {GAUSSIAN: GaussianConfig(), LIKELIHOOD: LikelihoodConfig()}
