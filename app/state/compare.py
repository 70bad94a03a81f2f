"""`CompareState`: user settings of the Compare page: the race, its samplers and budget, and its display."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import param

from app.state.live_menu import PROBLEMS as LIVE
from app.state.live_menu import STREAMS, ProblemChoice
from app.state.page_state import Frozen, PageState, frozen_copy_of
from app.state.parameters.knob import Choice, Choices, Knob
from app.state.parameters.knob_values import LinkReader
from sampler import Settings

PROBLEMS: dict[str, ProblemChoice] = {
    key: LIVE[key] for key in ("logistic21", "logistic2", "linear2", "poisson2", "gaussian2")}
PROBLEMS["logistic21"] = replace(LIVE["logistic21"], label="Logistic regression, d = 21",
                                 settings=LIVE["logistic21"].settings.replace(eta0=0.1, offset=2.0))  # LMV-n section 5's
"""Key -> problem, with Live's step size and batch size as initial values of a race. A coreset from the Coreset page is a
further option."""
CORESET = "coreset"
SAMPLERS = ("saga", "precond", "sgld", "sgld_same", "mala", "ula", "rwm", "pg", "laplace", "online_laplace", "warm_laplace",
            "rvga", "ibis", "cv_sgld", "mh_ss", "zigzag", "svrg", "svrg_plus", "saga_fixed", "cv_uld", "nuts_warm",
            "nuts_scratch")
"""Keys of `sampler.racing.CONTESTANTS`, in the order of the switches."""
USUAL = ("saga", "precond", "sgld", "sgld_same", "mala", "ula", "pg", "laplace", "online_laplace")
"""Samplers that are switched on by default and always listed."""
RARER = tuple(key for key in SAMPLERS if key not in USUAL)
"""Samplers that are listed on request."""
MEMORY = 4_000_000
"""Maximum of chains times data, which the cache stores in 16 bytes each."""


class CompareState(PageState):
    """Settings of a race at epoch T, of Figure 1 and of the tables, and the one displayed."""

    problem = Choice("logistic21", (*PROBLEMS, CORESET), "target", "What is sampled.", key="cproblem")
    stream = Choice("paper", tuple(STREAMS), "stream", "How the data arrive.", key="cstream")
    t = Knob(1_000, 20, 10_000, "epoch", "Number of data; the race runs in the epoch of the last one.", symbol="T",
             plain="T", key="cT", whole=True)
    eta0 = Knob(0.1, 0.0001, 30.0, "SAGA-LD’s step", "Step size: η₀/(t + c) in epoch t, also for SGLD and the SVRG family;"
                " the other samplers’ steps come from the curvature.", symbol="η<sub>0</sub>", plain="η₀", key="ceta")
    batch_size = Knob(64, 1, 1024, "batch per step", "Gradients drawn at each step of SAGA-LD, SGLD and the SVRG family.",
                      symbol="b", plain="b", key="cb", whole=True)
    budget = Choice("evaluations", ("evaluations", "seconds"), "budget", "What each sampler may spend.", key="cby")
    evaluations = Knob(300_000, 1_000, 10_000_000, "evaluations", "Gradient evaluations that each chain of each sampler may"
                       " spend in the epoch.", plain="evaluations", key="cev", whole=True)
    seconds = Knob(0.002, 0.00001, 1.0, "seconds a chain", "Seconds of one core that each chain of each sampler may spend in"
                   " the epoch.", plain="seconds", key="csec")
    chains = Knob(1_000, 50, 4_000, "chains", "Runs of the epoch, all from one start. More chains raise the ceiling.",
                  plain="chains", key="cchains", whole=True)
    seed = Knob(4, 0, 999_999, "seed", "Seed of the stream and of every chain.", plain="seed", key="cseed", scale="none",
                whole=True)
    samplers = Choices(USUAL, SAMPLERS, "Samplers", key="csamplers")
    axis = Choice("evaluations", ("evaluations", "seconds", "t"), "against", "Horizontal axis of the accuracy.", key="cx")
    scale = Choice("log", ("log", "linear"), "scale", "Scale of the axes.", key="cscale")
    view = Choice("race", ("race", "paper", "tables"), "view", "Part displayed first on the page.", key="cview")
    steps = Choice(300, (100, 300, 1_000, 3_000), "steps", "Budget of Figure 1: SAGA-LD's steps in the last epoch.",
                   key="csteps")
    table = Choice("online", ("online", "fixed"), "table", "Tables as data arrive, or from a cold start.", key="ctable")
    coreset = param.Parameter(None, precedence=-1, doc="Posterior from the Coreset page, if it is the target.")

    def changes_for(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Refuse more chains times data than `MEMORY`; a slider is limited to it."""
        if name not in ("t", "chains"):
            return {name: value}
        other = self.chains if name == "t" else self.t
        if value * other > MEMORY:
            if typed:
                raise ValueError(f"T × chains must be at most {MEMORY:,}: SAGA-LD stores one number per datum and chain."
                                 f" Lower {'chains' if name == 't' else 'T'} first. Kept"
                                 f" {self.param[name].format_value(getattr(self, name))}.")
            value = max(int(self.param[name].low), MEMORY // other)
        return {name: value}

    def choose_problem(self, problem: str, coreset: Any = None) -> None:
        """Select another problem, with its step size and batch size."""
        if problem == CORESET and coreset is None:
            return
        config = self.frozen().on_problem(problem, coreset)
        self.base = CompareConfig().on_problem(problem, coreset)
        self.load(config)

    @classmethod
    def from_query(cls, query: dict[str, Any], coreset: Any = None) -> tuple[CompareConfig, list[str]]:
        """Read URL parameters; `coreset` is the posterior from the Coreset page, if any. Never raises.

        Return the configuration and one warning per invalid value, with the value used instead.
        """
        link, base = LinkReader(query), CompareConfig()
        if link.text("cproblem") == CORESET and coreset is None:
            link.words.append("The Coreset page has provided no coreset in this session; took the paper’s problem.")
            link.texts["cproblem"] = base.problem
        problem = link.choice("cproblem", (*PROBLEMS, *((CORESET,) if coreset is not None else ())), base.problem)
        link.texts["cproblem"] = problem
        config = cls.read_query(link, base.on_problem(problem, coreset))
        if config.t * config.chains > MEMORY:
            chains = MEMORY // config.t
            link.words.append(f"T × chains = {config.t * config.chains:,} must be at most {MEMORY:,}; took {chains:,}"
                              " chains.")
            config = config.replace(chains=chains)
        return config, link.words


@frozen_copy_of(CompareState)
class CompareConfig(Frozen):
    """Configuration of a race and of its display, for a worker."""

    @property
    def settings(self) -> Settings:
        """Settings of SAGA-LD."""
        offset = PROBLEMS[self.problem].settings.offset if self.problem in PROBLEMS else 1.0
        return Settings(eta0=self.eta0, batch_size=self.batch_size, offset=offset)

    @property
    def paper_step(self) -> bool:
        """Whether the step size is that of LMV-n section 5."""
        return self.problem == "logistic21" and abs(self.eta0 - 0.1) < 1e-12

    @property
    def raced(self) -> CompareConfig:
        """Copy with default display parameters and without samplers, equal for the same race."""
        usual = CompareConfig()
        return self.replace(samplers=(), **{name: getattr(usual, name) for name in (
            "axis", "scale", "view", "steps", "table")})

    def on_problem(self, problem: str, coreset: Any = None) -> CompareConfig:
        """Return the same race on another problem, with its step size and batch size."""
        if problem == CORESET:
            return self.replace(problem=problem, coreset=coreset, eta0=coreset.race_step, batch_size=9,
                                chains=min(self.chains, 200))
        settings = PROBLEMS[problem].settings
        return self.replace(problem=problem, coreset=None, eta0=settings.eta0, batch_size=settings.batch_size,
                            chains=CompareConfig().chains)
