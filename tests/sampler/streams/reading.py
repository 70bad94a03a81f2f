"""Helpers that read a stream to its end."""

import numpy as np


def everything(stream):
    """Return features (n, d) and labels (n,) of all rows."""
    features, labels = zip(*stream, strict=True)
    return np.concatenate(features), np.concatenate(labels)


def table_of(stream):
    """Return all rows as one array, the label last."""
    return np.column_stack(everything(stream))
