"""`FrameHeight`: tells the notebook how tall the page in its frame is."""

from __future__ import annotations

from app.browser_messages import OneWayComponent


class FrameHeight(OneWayComponent):
    """Invisible; posts the height of the page to the window that holds its frame, whenever it changes."""

    _esm = """
export function render({el}) {
  const page = el.getRootNode().host.getRootNode().host  // the column that holds the page and this
  const tell = () => window.parent.postMessage({exitTimeLab: "height", height: page.getBoundingClientRect().height}, "*")
  new ResizeObserver(tell).observe(page)
  tell()
}
"""
