"""Parts of a page: each a small Python class with its script and style sheet beside it."""
