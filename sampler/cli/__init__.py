"""The command line: one file a command, words on stderr, results on stdout."""
