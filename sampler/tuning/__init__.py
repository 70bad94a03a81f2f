"""Tuning: what the measurements say about a setting, and what to try next."""
