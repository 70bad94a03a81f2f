"""A page without a browser: its looks at the workers, one after the other."""

from tests.waiting import wait_for


def until(page, true, look="_tick", seconds=300.0):
    """Look at the workers, as the page itself would, until a condition is true; return the page."""
    if not true():
        wait_for(true, lambda: page.shell.state, seconds, getattr(page, look))
    return page
