"""Draws of a narrowing posterior are compared in one unit: that of the last epoch."""

import numpy as np

from sampler.metrics.diagnostics import chain_diagnostics
from sampler.production.rolling_diagnostics import SampleWindow


def test_diagnostics_are_those_of_draws_in_the_last_epochs_units():
    rng, offset, epochs = np.random.default_rng(0), 3.0, np.arange(1, 201)
    law = rng.normal(size=(200, 8, 2))  # (epochs, chains, d)
    law -= law.mean(axis=1, keepdims=True)
    window = SampleWindow(200, offset)
    for t, draws in zip(epochs, law, strict=True):
        window.add(t, draws / np.sqrt(t + offset))  # a posterior as wide as 1/sqrt(t + c): from 1/2 down to 1/14
    found = window.diagnostics()
    known = chain_diagnostics(np.swapaxes(law, 0, 1) / np.sqrt(200 + offset))
    for name in ("rhat", "ess", "mcse"):
        # R-hat and ESS are of ranks, and rounding parts draws that were equal.
        np.testing.assert_allclose(getattr(found, name), getattr(known, name), rtol=1e-4)
