"""A file from the moment it is dropped until its rows are used: pieces, preview, choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.tune.config import TuneConfig
from app.tune.preview import Preview, preview
from app.tune.reading import Reading
from app.tune.upload import Upload, refusal

if TYPE_CHECKING:
    from app.tune.components.data_dialog import DataDialog


class Bringing:
    """Acts for a `DataDialog`. `bring(config)` is called with the data that were settled on."""

    def __init__(self, bring: Callable[[TuneConfig], None]) -> None:
        self._bring = bring
        self.dialog: DataDialog | None = None
        self._upload: Upload | None = None
        self.kept, self.kind, self.reading = "", "", Reading()

    @property
    def acts(self) -> dict[str, Callable]:
        """What the dialog calls."""
        return {"begin": self.begin, "piece": self.piece, "refuse": self.refuse, "choose": self.choose, "use": self.use,
                "close": self.close}

    def begin(self, name: str, size: int) -> bool:
        """A file is coming; should its pieces be sent?"""
        self.close()
        try:
            self._upload = Upload(name, size)
        except ValueError as wrong:
            self.dialog.show(Preview(name, error=str(wrong)))
            return False
        self.dialog.progress = 0.0
        return True

    def piece(self, text: str, last: bool) -> bool:
        """Take a piece; are more wanted?"""
        upload = self._upload
        if upload is None:
            return False
        try:
            self.dialog.progress = upload.add(text)
            if last:
                self._upload = None
                self.open(upload.finish())
        except ValueError as wrong:
            self._upload = None
            self.dialog.show(Preview(upload.name, error=str(wrong)))
            return False
        return True

    def refuse(self, name: str, size: int) -> None:
        """Say why a file is not taken."""
        self.close()
        words = refusal(name, size) if size >= 0 else f"{name} could not be read: is it still there?"
        self.dialog.show(Preview(name, error=words))

    def open(self, kept: str, kind: str = "", reading: Reading | None = None) -> None:
        """Show a kept file."""
        self.kept, self.kind, self.reading = kept, kind, reading or Reading()
        self.dialog.show(preview(kept, self.kind, self.reading))

    def choose(self, field: str, value: Any) -> None:
        """Take a choice; what was found for the file before stands until it is changed."""
        if field == "kind":
            self.kind = str(value)
        elif field == "response":
            self.kind, self.reading = "", self.reading.replace(response=str(value), features=None)
        elif field == "features":
            self.reading = self.reading.replace(features=tuple(map(str, value)) or None)
        elif field in ("intercept", "scale"):
            self.reading = self.reading.replace(**{field: bool(value)})
        if self.kept:
            self.dialog.show(preview(self.kept, self.kind, self.reading))

    def use(self) -> None:
        """Settle on what the dialog shows."""
        if self.kept and not self.dialog.error:
            shown = self.dialog
            reading = Reading(shown.response, tuple(shown.features), shown.intercept, shown.scale)
            self._bring(TuneConfig(data=f"file-{self.kept}", kind=shown.kind, reading=reading))
            shown.open = False

    def close(self) -> None:
        """Drop an upload under way."""
        if self._upload is not None:
            self._upload.drop()
            self._upload = None
        self.dialog.progress = None
