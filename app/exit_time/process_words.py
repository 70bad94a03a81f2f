"""What the page says of the exponential supermartingale."""

from __future__ import annotations

from app.exit_time.process import Process
from app.exit_time.result import ExitResult
from app.exit_time.result_words import chance
from app.glossary import marked

NO_PROCESS = ("No single θ proves anything for a whole epoch here: a chain is expected to leave, or the chains start at many"
              " distances. “Ours” above may: it gives each block of steps a θ of its own. Raise r, or take fewer steps.")
READ = marked("<b>Step 3.</b> The exponential of the [[squared distance]] has a mean that <b>never rises</b>. A chain that"
              " leaves has carried it up to its level.")
FORMULA = marked(r"<p class='f'>$E[\exp(\theta_{i+1} D_{i+1}^2 + C_{i+1}) \mid \text{past}] \le \exp(\theta_i D_i^2 + C_i)$,"
                 r" $D = \lVert X - \text{mode} \rVert$; $P(\text{exit}) \le$ start ÷ level (Markov’s inequality,"
                 " stopped at the exit).</p>")


def process_caption(result: ExitResult | None) -> str:
    """How to read the figure, and what it proves here, as HTML."""
    found = None if result is None else result.process
    return READ + ("" if found is None else f" {_here(found)}") + FORMULA


def _here(found: Process) -> str:
    return (f"It starts at {chance(found.start)} of the level, so a share of {chance(found.start)} at most can reach it;"
            f" {found.left:,} of {found.chains:,} chains did ({chance(found.left / found.chains)}). At the last step its"
            f" logarithm grows by θr² = {found.reach:.1f} from the mode to the escape line.")
