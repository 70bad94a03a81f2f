"""Data in: files, folders, files that grow and any Python iterable, a batch at a time."""
