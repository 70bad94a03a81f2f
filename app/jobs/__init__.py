"""Work that takes its time: one thread a page, worker processes of the server, and a limit on engines at work."""
