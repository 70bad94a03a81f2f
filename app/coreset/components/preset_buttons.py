"""Pictures to try, as on other pages."""

from app.widgets.preset_buttons import PresetButtons

__all__ = ["PresetButtons"]
