"""User files: upload, choice of columns, and error messages for a page."""
