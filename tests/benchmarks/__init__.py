"""What the library costs, measured: ``python -m tests.benchmarks [names] [--quick] [--write]``.

Every row is a ratio of two things measured side by side, in turns, in one run; absolute times are notes only.
"""
