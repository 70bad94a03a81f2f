"""The server's side: its command line, where it listens, what it imports first, how many visits it takes at once."""
