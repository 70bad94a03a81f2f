"""Replays of a logistic regression with three coefficients, completed or stopped."""

from sampler import LogisticRegression, Replay, Settings

SETTINGS = Settings(eta0=0.5, batch_size=5, i_max=8, acceptance_radius=20.0)


def replay(rows, **options):
    """Return a replay of a stream or of a pair of arrays in batches of 37 rows."""
    if isinstance(rows, tuple):
        x, y = rows
        rows = ((x[i:i + 37], y[i:i + 37]) for i in range(0, len(x), 37))
    options = {"problem": LogisticRegression(3), "settings": SETTINGS, "chains": 6, "seed": 3, "every": 10, **options}
    return Replay(batches=rows, **options)


def finish(one, stop=lambda: False, progress=lambda t: None):
    """Resume or start a replay and return its result."""
    one.resume()
    try:
        return one.run(stop, progress)
    finally:
        one.close()


def run(rows, stop=lambda: False, **options):
    return finish(replay(rows, **options), stop)


def after(blocks):
    """Return a stop condition that is true after ``blocks`` blocks."""
    remaining = iter(range(blocks))
    return lambda: next(remaining, None) is None
