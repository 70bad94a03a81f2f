"""The server's side: its command line, how many visits it takes at once, and the document of each."""
