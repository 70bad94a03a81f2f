"""Verdicts on settings.

``measurements`` defines the measurements and their limits, ``rules`` one function per verdict (condition, texts,
suggestion), ``judge`` the order in which the rules are tried.
"""
