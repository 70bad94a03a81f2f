"""Server side of the app: command line, limit on visits, and the document of each visit."""
