r"""Terms of art: what each means, its formula and its place in a paper; and mathematics as a page sets it.

In a text that a page shows, ``[[escape ball]]`` is the term's name with its definition on hover, focus and tap,
``[[ball|escape ball]]`` the same under another word, ``$\eta_0/(t + c)$`` a formula and ``$$...$$`` one on a line of its
own. `marked` makes HTML of a text that is HTML already, `text_html` of a plain text, `marked_first` marks words in a text
that has no marks, `unmarked` gives the words alone. `GLOSSARY` holds all terms, `lookup` finds one.
"""

from app.glossary.term import GLOSSARY, Term, lookup, marked, marked_first, term_name, text_html, unmarked

__all__ = ["GLOSSARY", "Term", "lookup", "marked", "marked_first", "term_name", "text_html", "unmarked"]
