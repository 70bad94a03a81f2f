"""Ratios against named peers, each measured side by side in one run: ``python -m tests.benchmarks``."""
