"""The one setting that is recommended, and why not the others that suggest themselves."""

import html
from collections.abc import Iterator

from app.state.tune import ALGORITHMS, CellKey
from app.tune.result import TuneResult
from app.tune.sweep_words import about_reference, drawback, name_of
from app.widgets.cards import folded
from sampler.tuning import key_of


def about_others(result: TuneResult) -> str:
    """Return the recommended setting, each other with its reason, and what the formula assumes; HTML."""
    best, batches = result.recommended, len(result.config.batches)
    if best is None:
        predicted = result.cell_forecast(result.advised_key)
        forecast = (f": the formula says accuracy {predicted.accuracy:.3f} at {predicted.cost:,.0f} gradients an epoch, and"
                    " nobody has run it here" if predicted.stable else "")
        head = f"Start near <b>{name_of(result.advised_key, batches)}</b>{forecast}."
    elif best != result.best_key:
        head = (f"Recommended: <b>{name_of(best, batches)}</b>, which the advised setting’s runs ended with: safe, at"
                f" {result.cell(best).cost:,.0f} gradients an epoch. A sweep may find a cheaper one.")
    else:
        so_far = "" if result.whole or result.ended else " so far"
        head = (f"Recommended{so_far}: <b>{name_of(best, batches)}</b>, ★ on the map, the cheapest that is accurate to"
                " within noise, forgets its last epoch and is neither too wide nor too narrow.")
    why = "".join(f"<li>{words}: {_reason(result, key)}.</li>" for words, key in _others(result))
    return f"<p>{head}</p><ul>{why}</ul>{folded('What the formula assumes', _assumed(result))}"


def _others(result: TuneResult) -> Iterator[tuple[str, CellKey]]:
    """Yield the settings that suggest themselves, in words, with the cell nearest to each."""
    best = result.recommended
    here = best or result.advised_key
    for name, forecast in result.forecasts.items():
        s, start = forecast.advice.settings, forecast.advice.start
        whose = f" for {ALGORITHMS[name]}" if len(result.forecasts) > 1 else ""
        if best is not None:
            yield (f"The advisor’s start{whose}, η<sub>0</sub> = {s.eta0:g}, i<sub>max</sub> = {s.i_max:,}",
                   key_of(s) if key_of(s) in result.run_forecasts else result.nearest(s.eta0, s.i_max, s.batch_size, name))
        yield (f"The rule of thumb 0.2/L{whose}, η<sub>0</sub> = {start:.2g}",
               result.nearest(start, here.i_max, here.batch_size, name))
    whole = [cell for cell in result.measured.values() if cell.diverged is None and result.state(key_of(cell)) == "done"]
    if best is not None and whole:
        top = max(whole, key=lambda cell: cell.accuracy)
        yield f"The highest score, {top.accuracy:.3f} at {name_of(key_of(top), len(result.config.batches))}", key_of(top)


def _reason(result: TuneResult, key: CellKey) -> str:
    """Return why a cell is not the one to use, in a few words."""
    cell, predicted = result.cell(key), result.cell_forecast(key)
    best = None if result.recommended is None else result.cell(result.recommended)
    if best is not None and key == key_of(best):
        return "the recommended one"
    if cell is None and not predicted.stable:
        return "the formula says that its step is not stable"
    if cell is None:
        return f"not run yet; the formula says {predicted.accuracy:.3f}, at {predicted.cost:,.0f} gradients an epoch"
    state = result.state(key)
    if state != "done":
        return {"diverged": "its chains left for infinity", "early": "given up early, when half of the others were better",
                "running": "not run to the end yet"}[state]
    verdict = result.verdict(key)
    if verdict.kind != "safe":
        return drawback(result, key).removeprefix(", but ") or html.escape(verdict.title.lower())
    if best is None:
        return f"safe, {cell.accuracy:.3f}"
    if cell.cost > best.cost:
        return f"safe as well, {cell.accuracy:.3f}, for {cell.cost / best.cost:.2g} times the gradients"
    return f"safe and not dearer, but {best.accuracy - cell.accuracy:.3f} less accurate"


def _assumed(result: TuneResult) -> str:
    """Return what advisor and formula stand on."""
    curvatures = "; ".join(
        f"L = {one.advice.curvature:.3g} " + ("a row, by power iteration at the mode" if name == "saga-ld" else
                                             "at the mode in whitened coordinates")
        for name, one in result.forecasts.items())
    assumed = dict.fromkeys(words for one in result.forecasts.values() for words in one.advice.assumptions)
    listed = "".join(f"<li>{html.escape(words)}</li>" for words in assumed)
    return f"<p class='soft'>The reference: {about_reference(result)}. {curvatures}.</p><ul class='soft'>{listed}</ul>"
