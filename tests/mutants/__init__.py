"""One-line mutations of the library's formulas, each with the test that must notice it.

``python -m tests.mutants`` puts each into a temporary copy of the tree, never the tree itself, runs its test there
and says whether it was killed. A mutant that survives, or whose line is no longer there, makes the exit code 1.
"""
