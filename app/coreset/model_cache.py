"""Models kept with their full-data posteriors, which take seconds to find at paper size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

import numpy as np

from app.coreset.models import SOURCES
from app.coreset.own_data import OwnData
from app.state.coreset import CoresetConfig
from sampler import coreset

MOST = 8
"""Models kept in the process, the latest used."""


class ModelCache:
    """Models by what they were made of; shared by all sessions."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._lock = most, threading.Lock()
        self._models: OrderedDict[tuple, coreset.GaussianLocation] = OrderedDict()

    def model(self, config: CoresetConfig, own: OwnData | None, say: Callable[[str, float | None], None],
              stopped: Callable[[], bool]) -> coreset.GaussianLocation | None:
        """Return the model of a configuration, its truth known; None when `stopped()`.

        ``say(words, fraction)`` is called while it works.
        """
        if config.data == "file" and own is not None:
            model = own.model
        else:
            key = config.model, config.n, config.dim, config.seed
            model = self._kept(key)
            if model is None:
                say(f"Drawing {config.n:,} data", None)
                model = SOURCES[config.model].generate(config.n, config.dim, config.seed)
                self._keep(key, model)
        return self._with_truth(model, say, stopped)

    def _with_truth(self, model: coreset.GaussianLocation, say: Callable[[str, float | None], None],
                    stopped: Callable[[], bool]) -> coreset.GaussianLocation | None:
        if "truth" in vars(model):
            return model
        if isinstance(model, coreset.GaussianLocation):
            truth = model.find_truth()
        else:
            words = f"Finding the posterior of all {model.n:,} data, to score draws against"
            try:
                truth = model.find_truth(stop=stopped, progress=lambda part: say(words, part))
            except (ValueError, np.linalg.LinAlgError) as wrong:
                raise ValueError(f"the posterior of all {model.n:,} data could not be found ({wrong}); bring features and"
                                 " response to a scale of about 1, and leave out columns that repeat others") from None
        if truth is None:
            return None
        model.truth = truth
        return model

    def _kept(self, key: tuple) -> coreset.GaussianLocation | None:
        with self._lock:
            if key in self._models:
                self._models.move_to_end(key)
            return self._models.get(key)

    def _keep(self, key: tuple, model: coreset.GaussianLocation) -> None:
        with self._lock:
            self._models[key] = model
            while len(self._models) > self._most:
                self._models.popitem(last=False)


CACHE = ModelCache()
"""Of this process."""
