"""Colours and fonts of every page in the light and the dark theme: each quantity has one hue everywhere.

`TOKENS` is the only definition of a colour, for the CSS variables of components (`css_variables`) and for figures
(`Paint`).
"""

from __future__ import annotations

from bokeh.model import Model

FONT = "Roboto, Arial, sans-serif"

TOKENS: dict[str, dict[str, str]] = {
    "light": {
        "bg": "#f5f6f8", "card": "#ffffff", "line": "#e2e6ea", "ink": "#1b232d", "ink2": "#566270",
        "ink3": "#8792a0", "grid": "#edf0f3", "axis": "#aab3bd",
        "chain": "#1b5faa", "mode": "#222222", "esc": "#d55e00", "esctx": "#b34c00", "acc": "#009e73",
        "acctx": "#00795a", "bound": "#7a3e9d", "sgld": "#b8860b", "sgldtx": "#8f6800", "ref": "#7b8591",
        "band": "#d9dee4", "track": "#dfe4ea", "chip": "#eef2f6", "primary": "#1b5faa", "on": "#ffffff",
        "ok": "#00795a", "okbg": "#e5f4ef", "hot": "#b34c00", "hotbg": "#fcece1", "cold": "#1b5faa",
        "coldbg": "#e6eff9", "shadow": "0 8px 28px rgba(20,32,48,.18)",
    },
    "dark": {
        "bg": "#101418", "card": "#181d23", "line": "#2a313a", "ink": "#e9edf1", "ink2": "#a3aebb",
        "ink3": "#75818f", "grid": "#232a32", "axis": "#4b5663",
        "chain": "#78beff", "mode": "#eeeeee", "esc": "#ff8a4c", "esctx": "#ff9d69", "acc": "#54f0b4",
        "acctx": "#54f0b4", "bound": "#c79bf0", "sgld": "#f0b429", "sgldtx": "#f0b429", "ref": "#8f9aa6",
        "band": "#2c343d", "track": "#313a45", "chip": "#222931", "primary": "#78beff", "on": "#0d1a28",
        "ok": "#54f0b4", "okbg": "#12312a", "hot": "#ff9d69", "hotbg": "#3a2216", "cold": "#78beff",
        "coldbg": "#15293c", "shadow": "0 8px 28px rgba(0,0,0,.55)",
    },
}
"""Theme -> token -> CSS colour. Tokens ending in tx are for text, with a contrast of at least 5 : 1."""

def tokens(dark: bool) -> dict[str, str]:
    """Return the palette of the dark or the light theme."""
    return TOKENS["dark" if dark else "light"]


def css_variables() -> str:
    """Return the style sheet that defines `--lab-<token>` for the whole document, in both themes."""
    light, dark = ("".join(f"--lab-{name}:{value};" for name, value in TOKENS[theme].items())
                   for theme in ("light", "dark"))
    in_the_dark = ":root[data-theme=dark],:root:has(body[data-jp-theme-light=false])"
    return (f":root{{{light}--bokeh-base-font:{FONT};color-scheme:light}}{in_the_dark}{{{dark}color-scheme:dark}}"
            "html,body{background:var(--lab-bg)}")


class Paint:
    """Registry of the colour token of each model property, so that figures can change theme."""

    def __init__(self) -> None:
        self.strokes: list[tuple[Model, dict[str, str]]] = []  #: model, property -> token; in order

    def __call__(self, model: Model, **roles: str) -> Model:
        """Register colour tokens for properties of `model`, apply the light theme and return the model."""
        self.strokes.append((model, roles))
        model.update(**{name: TOKENS["light"][token] for name, token in roles.items()})
        return model

    def apply(self, dark: bool) -> None:
        """Set all registered properties to the colours of the theme."""
        palette = tokens(dark)
        for model, roles in self.strokes:
            model.update(**{name: palette[token] for name, token in roles.items()})
