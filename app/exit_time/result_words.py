"""What the page says about a result, in words."""

from __future__ import annotations

import re

import numpy as np

from app.exit_time.result import ExitResult
from app.glossary import marked
from app.number_words import percent, scientific, share
from app.state.exit_time import ExitConfig

USELESS = 0.9999
"""Probability of leaving from which a bound says nothing."""
TOO_LONG = "This path is too long to be split here: lower iₘₐₓ or d until iₘₐₓ × d is 3,000,000 or less."


def chance(value: float) -> str:
    """Return a probability of leaving: 0.082, 2.3 × 10⁻⁵, 1."""
    if value <= 0.0:
        return "0"
    return f"{value:.3g}" if value >= 0.001 else scientific(value)


def printed_fails(result: ExitResult) -> bool:
    """Whether the printed curve lies above the simulated band somewhere: then it bounds nothing."""
    crowd, bounds = result.crowd, result.bounds
    printed = None if bounds is None else bounds.stays("printed")
    if crowd is None or printed is None:
        return False
    known = bounds.steps <= crowd.inside.steps[-1]
    high = np.interp(bounds.steps[known], crowd.inside.steps, crowd.inside.high)
    return bool((printed[known] > high + 1e-12).any())


def reading(result: ExitResult | None) -> str:
    """How to read the survival chart, as HTML."""
    crowd, bounds = (None, None) if result is None else (result.crowd, result.bounds)
    said = [marked("<b>Read it.</b> A bound on [[survival]] must lie <b>below</b> the blue curve.")]
    if crowd is None or bounds is None or bounds.last("local") is None:
        return said[0]
    if printed_fails(result):
        said.append("The printed one lies above it: it forgets that i<sub>max</sub> squared steps add up.")
    elif bounds.last("printed") < USELESS:
        said.append("The printed one happens to lie below it here; nothing proves that it must.")
    best = bounds.last("local")
    if best < USELESS and crowd.left:
        times = best * crowd.chains / crowd.left
        much = f"{times:.1f}" if times < 20 else f"{times:,.0f}"
        said.append(f"Ours allows {much} times the exits seen: it says that a chain leaves with probability"
                    f" {chance(best)} at most, and {chance(crowd.left / crowd.chains)} of them did.")
    elif best < USELESS:
        said.append(f"No chain of {crowd.chains:,} left; ours allows {chance(best)}.")
    if bounds.mixed is not None and bounds.mixed < 0.98 * best:
        said.append(f"One mixture over all θ in place of blocks: {chance(bounds.mixed)}.")
    return " ".join(said)


FORMULA = marked(
    r"<p class='f'>LMV-a eq. 18 and 38 print $P(\text{exit}) \le n\left[e^{-\lambda^2/(2\Delta^2)} + e^{-(C_\xi^2 - d)/8}"
    r"\right]$. [[Azuma's inequality]] has $n\Delta^2$ where they have $\Delta^2$. Here $n = i_{\max}$, $\lambda$ is the"
    r" room that start and drift leave below $r^2$, $\Delta$ the [[longest step]] of the martingale, $C_\xi$ the [[noise"
    r" cut-off]].</p>"
    r"<p class='f'>Ours: $\exp\left(\theta_i \lVert D_i \rVert^2 + C_i\right)$ is a [[supermartingale]], so"
    r" $P(\text{exit}) \le \exp\left(\theta_0 \rho_0^2 + C_0 - \min_i \left(\theta_i r^2 + C_i\right)\right)$: no sum over"
    r" steps. $\theta_i$ is the [[weight of the square]], $C_i$ the [[store]] for the steps to come, $D_i$ the"
    r" [[displacement]], $\rho_0$ the [[start distance]].</p>")
"""Below the survival chart, as HTML."""


def warnings(result: ExitResult) -> list[str]:
    """Return what a person must know before trusting the result, the gravest first."""
    bounds = result.bounds
    if bounds is None:
        return list(result.notes)
    said = [bounds.vacuous] if bounds.vacuous else []
    said += bounds.conditions
    if bounds.azuma and not bounds.vacuous:
        said.append(bounds.azuma)
    return [tidy(words) for words in said] + list(result.notes)


def tidy(words: str) -> str:
    """Return a sentence of the library with the page's symbols."""
    for plain, symbol in (("rho_0^2", "ρ₀²"), (" - ", " − "), ("r^2", "r²"), ("^2", "²"), ("<=", "≤"), ("eta0", "η₀"),
                          ("i_max", "iₘₐₓ")):
        words = words.replace(plain, symbol)
    return re.sub(r"\beta\b", "η", words)


def splitting(result: ExitResult | None) -> str:
    """Caption of the three sums, as HTML."""
    sums = None if result is None else result.sums
    error = "…" if sums is None else scientific(sums.error)
    exact = f" They add up to the change exactly: the largest error of a step is {error} of its size."
    pull = "The [[pull]] never points outward (convexity)."
    if sums is not None and not np.any(sums.pull):
        pull = "F is flat here, so there is no [[pull]]; over a bowl it never points outward (convexity)."
    return marked(f"<b>Step 2 of the proof.</b> {pull} The [[drift]] is {_drift(result)}. Only the [[martingale]] can"
                  f" surprise, and it has no favourite direction.{exact}" + _SPLIT)


_SPLIT = (r"<p class='f'>$\lVert D_{i+1} \rVert^2 - \lVert D_i \rVert^2 = -2\eta \langle \nabla F, D_i \rangle + \left("
          r"2\eta d + \eta^2 \lVert g \rVert^2\right) + \text{martingale}$, $g$ the gradient as the step"
          r" takes it, $D_i$ the [[displacement]]; LMV-a eq. 20 to 25, Lemma 6.3.</p>")


def _drift(result: ExitResult | None) -> str:
    """What the drift of a step is made of, and how much of it depends on the place."""
    noise = r"$2\eta d$, from the noise, the same everywhere"
    if result is None or result.sums is None or result.sums.step_drift.size < 2:
        return rf"{noise}, and a little $\eta^2 \lVert g \rVert^2$ for the length of the step"
    config, steps = result.config, result.sums.step_drift[1:]
    more = float(steps.max()) * config.radius**2 / (2 * config.step_size * config.dim) - 1.0
    if more < 1e-9:
        return rf"{noise}; without a gradient there is no $\eta^2 \lVert g \rVert^2$ to add"
    return rf"{noise}, and $\eta^2 \lVert g \rVert^2$ for the length of the step, at most {percent(more)} of that here"


def pushing(result: ExitResult | None) -> str:
    """Caption of the two push charts, as HTML."""
    d = result.config.dim if result is not None else 2
    near = ("In one dimension it is 0 away from the mode and all of it sits at the kink in the middle."
            if d == 1 else r"The push on $\lVert D \rVert$ has no bound near the mode.")
    return marked(r"<b>Step 1.</b> The push on the [[squared distance]] is $2\eta d$ wherever the chain stands, so one"
                  f" number bounds it. {near}" + _PUSH)


_PUSH = (r"<p class='f'>$E\lVert D + \sqrt{2\eta}\,\xi \rVert^2 - \lVert D \rVert^2 = 2\eta d$, &nbsp;"
         r" $E\lVert D + \sqrt{2\eta}\,\xi \rVert - \lVert D \rVert \approx \eta(d - 1)/\lVert D \rVert$</p>")


def timing(result: ExitResult) -> str:
    """What the run cost."""
    crowd, config = result.crowd, result.config
    if crowd is None or not result.complete:
        return ""
    took = f"{result.seconds:.1f} s" if result.seconds >= 1 else f"{1000 * result.seconds:.0f} ms"
    return f"{crowd.chains:,} chains × {config.steps:,} steps took {took} on one core."


def batches(result: ExitResult) -> str:
    """What is certified and what is measured about the sampler's own batches, as HTML; "" without Live."""
    live, bounds = result.live, result.bounds
    if live is None or bounds is None or bounds.batch is None:
        return ""
    config, added = result.config, ""
    certified = ("certified over the whole ball from the features" if live.kind == "logistic"
                 else "exact, F being quadratic" if live.kind != "poisson" else "taken at the mode")
    if bounds.batch_added:
        added = (f" It counts {bounds.batch_added:g} for a batch that errs by more than"
                 f" {scientific(bounds.batch_sbar)} (matrix Bernstein).")
    return (
        f"<b>Real batches.</b> These chains move by full gradients and noise of length S = {config.noise:.3g}. A real"
        f" batch can err by B = {scientific(live.increment_bound)}: with S = B our bound on leaving is"
        f" {chance(bounds.loose)}; paying for the variance instead (◆, Bennett) it is {chance(bounds.batch)}."
        f"{added} <b>Certified:</b> curvature m = {config.curvature:.3g}, {certified}. <b>Measured</b> on"
        f" {live.visited} states Live visited, not certified: V = {scientific(live.variance_trace)} (√V ="
        f" {live.variance_trace ** 0.5:.3g}), v = {scientific(live.variance_max)}, B.")


def spoken(result: ExitResult) -> str:
    """Say what the survival chart shows, in one sentence, for a screen reader."""
    crowd, bounds = result.crowd, result.bounds
    if crowd is None or bounds is None:
        return ""
    names = {"printed": "the printed bound", "corrected": "corrected Azuma", "sharp": "our convex bound",
             "local": "our curved bound"}
    ends = [f"{name} says {share(1.0 - bounds.last(key))}" for key, name in names.items()
            if bounds.last(key) is not None]
    fails = " The printed bound lies above the chains: it bounds nothing." if printed_fails(result) else ""
    return (f"After {result.config.steps:,} steps {share(crowd.inside.share[-1])} of {crowd.chains:,} chains are still"
            f" inside; {', '.join(ends)}.{fails}")


def from_live(config: ExitConfig, result: ExitResult | None) -> str:
    """What target and start take from Live; "" when they take nothing."""
    live = None if result is None else result.live
    if live is None or not config.needs_live:
        return ""
    where = "Live’s default, run here," if live.fresh else "Live"
    return f"{live.problem}: {where} at t = {live.t:,}, {len(live.positions)} chains."
