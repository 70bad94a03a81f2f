"""Nonsense for everything that takes input: functions, links, files and messages."""
