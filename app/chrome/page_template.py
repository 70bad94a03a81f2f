"""`PAGE_TEMPLATE`: the document that a browser is given first. It watches over the arrival of all the rest."""

from __future__ import annotations

from pathlib import Path

from app.theme import FONT, TOKENS, css_variables
from app.widgets.component import FOLDER

HERE = Path(__file__).parent


def _template() -> str:
    """Return Material's template with our script and its style at the head, in the place of what turns its spinner.

    The colours come first: dark is dark from the first paint.
    """
    worn = f"{{{(FOLDER / 'theme.js').read_text(encoding='utf-8')}wear(opensDark())}}"
    script = (FOLDER / "server_answers.js").read_text(encoding="utf-8") + (HERE / "loading.js").read_text(encoding="utf-8")
    style = (HERE / "loading.css").read_text(encoding="utf-8")
    for name, value in (("INK", TOKENS["light"]["ink"]), ("CARD", TOKENS["light"]["card"]), ("FONT", FONT)):
        style = style.replace(name, value)
    colours = f"<script>{worn}</script><style id='lab-variables'>{css_variables()}</style>"
    head = (f"{{% raw %}}{colours}{{% endraw %}}{{{{ super() }}}}"
            f"{{% raw %}}<style>{style}</style><script>{script}</script>{{% endraw %}}")
    return ("{% extends 'base.html' %}{% block preamble %}" + head + "{% endblock %}"
            "{% block loader %}<div id='loader' style='display:flex'><div class='spinner'></div></div>{% endblock %}"
            "{% block loader_script %}{% endblock %}")


PAGE_TEMPLATE = _template()
"""Given to a `pmui.Page` as its ``template``."""
