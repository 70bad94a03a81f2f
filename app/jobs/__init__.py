"""Long-running work: one thread per page, the server's worker processes, a limit on engines that compute at once."""
