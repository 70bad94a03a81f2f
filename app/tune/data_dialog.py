"""`DataDialog`: the preview of a file of the user's before its rows are used, with what is chosen of it."""

from collections.abc import Callable
from typing import Any

import param

from app.js.component import LabComponent
from app.own_data.file_columns import class_options
from app.state.tune import KINDS
from app.tune.file_plan import FilePreview


class DataDialog(LabComponent):
    """Shows a `FilePreview`; `choose(field, value)` and `use()` are called when the user does."""

    open = param.Boolean(False)
    name_ = param.String("", doc="Of the file.")
    columns = param.List([])
    rows = param.List([])
    response = param.String("")
    features = param.List([])
    levels = param.Dict({}, doc="Column that holds words -> how many different ones; 0: too many for a category.")
    classes = param.List([], doc="[value, words] of each class of the response that may mean 1; an empty value: no choice.")
    positive = param.String("", doc="The one that means 1; empty: not chosen.")
    kind = param.String("")
    kinds = param.List([[key, words] for key, words in KINDS.items()], doc="[key, words] of each gradient.")
    intercept = param.Boolean(True)
    scale = param.Boolean(False)
    says = param.List([], doc="Sentences about what becomes of the rows.")
    error = param.String("")
    note = param.String("Kept in the cache folder of the computer that serves this page, for a reload; only this page’s link"
                        " finds it.", doc="Where the rows stay.")

    def __init__(self, choose: Callable[[str, Any], None], use: Callable[[], None], **params: Any) -> None:
        self._choose, self._use = choose, use
        self.shown: FilePreview | None = None
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def show(self, preview: FilePreview) -> None:
        """Show a file in the dialog."""
        self.shown, config = preview, preview.config
        self.param.update(
            open=True, name_=preview.name, columns=list(preview.columns), rows=[list(row) for row in preview.rows],
            response=config.response or "", features=list(config.features or ()), kind=config.kind,
            intercept=config.intercept, scale=bool(config.scale), says=preview.words, error=preview.error,
            levels={name: len(values) for name, values in preview.levels.items()}, positive=config.positive or "",
            classes=[[value, words] for words, value in class_options(preview.classes, config.positive).items()]
            if preview.classes else [])

    def on_choose(self, field: str, value: Any) -> None:
        """Take a choice about the file."""
        self._choose(str(field), value)

    def on_use(self) -> None:
        """Take the data."""
        self._use()

    def on_close(self) -> None:
        """Leave everything as it was."""
        self.open = False
