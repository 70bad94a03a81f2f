"""Command line: one module per command; messages go to stderr, results to stdout."""
