"""Command line: nonsense in the options ends with a message and an exit code, before any work."""

import argparse

from hypothesis import strategies as st

from sampler.__main__ import BAD_INPUT, main, parser
from tests.fuzz.nonsense import EDGE_TEXTS, amounts, search

VALUES = [text for text in EDGE_TEXTS if "/" not in text and "\x00" not in text and "\ud800" not in text] + [
    "2", "0.1", "-3", "1e400", "linear", "a,b", "0.1,1", "0.1:1:3", "1:1:0", "missing.csv", "module:name"]
CONNECTS = {"--scheduler"}
"""Options that connect to another machine."""


def options():
    actions = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    return {name: sorted({word for action in command._actions for word in action.option_strings} - CONNECTS - {"-h",
                         "--help"})
            for name, command in actions.choices.items()}


OPTIONS = options()
pairs = {name: st.lists(st.tuples(st.sampled_from([*flags, "--no-such"]), st.sampled_from(VALUES)), max_size=4)
         for name, flags in OPTIONS.items()}
lines = st.one_of([st.tuples(st.just(name), st.sampled_from(["missing.csv", "", "nan"]), drawn)
                   for name, drawn in pairs.items()])


@amounts(quick=8, slow=8_000)
def test_nonsense_ends_with_a_message_and_a_code(examples, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def check(drawn):
        name, where, flags = drawn
        try:
            code = main([name, where, *(word for pair in flags for word in pair)])
        except SystemExit as end:
            code = end.code
        printed = capsys.readouterr()
        assert code in (BAD_INPUT, 2) or "--version" in dict(flags) and code == 0, (code, printed)
        assert code == 0 or len(printed.err) > 10
        assert list(tmp_path.iterdir()) == []

    search(examples, lines, check)
