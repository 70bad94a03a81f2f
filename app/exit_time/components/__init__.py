"""Parts of the Exit time page."""
