"""The Offline page without its widgets: what can be set, the work it starts, numbers, words and files."""
