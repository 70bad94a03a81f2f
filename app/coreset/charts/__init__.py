"""Figures of the Coreset page."""
