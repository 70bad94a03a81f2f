"""Verdicts on a setting: one function a verdict (when it applies, its words, what it suggests); `judge` picks one.

``measurements`` holds what a verdict is made from and the limits between good and bad, ``rules`` the verdicts, ``judge``
the order in which they are tried.
"""
