"""Replays of a logistic regression with three coefficients, to the end or a stop."""

from sampler import LogisticRegression, Replay, Settings

SETTINGS = Settings(eta0=0.5, batch_size=5, i_max=8, acceptance_radius=20.0)


def replay(rows, **options):
    """Of a stream, or of a pair of arrays, which comes 37 rows at a time."""
    if isinstance(rows, tuple):
        x, y = rows
        rows = ((x[i:i + 37], y[i:i + 37]) for i in range(0, len(x), 37))
    options = {"problem": LogisticRegression(3), "settings": SETTINGS, "chains": 6, "seed": 3, "every": 10, **options}
    return Replay(batches=rows, **options)


def finish(one, stop=lambda: False, progress=lambda t: None):
    """Go on or begin; the result."""
    one.resume()
    try:
        return one.run(stop, progress)
    finally:
        one.close()


def run(rows, stop=lambda: False, **options):
    return finish(replay(rows, **options), stop)


def after(blocks):
    """What stops a run after so many blocks."""
    left = iter(range(blocks))
    return lambda: next(left, None) is None
