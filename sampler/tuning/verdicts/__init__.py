"""Verdicts on a setting: one function a verdict (when it applies, its words, what it suggests); `judge` picks one.

``limits`` holds the limits between good and bad and how they are said, ``measurements`` what a verdict is made from,
``judge`` the order in which verdicts are tried, ``sweep_cell_verdict`` the same judgement of a cell of a sweep.
"""
