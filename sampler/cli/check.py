"""``python -m sampler tune``."""


def add_to(commands) -> None:
    """Add the command to the command line."""
