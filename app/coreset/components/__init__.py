"""Parts of the Coreset page."""
