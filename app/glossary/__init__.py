r"""Glossary: definition, formula and source of each term, and markup of terms and formulas in page texts.

In a page text, ``[[escape ball]]`` is a term with its definition on hover, focus and tap, ``[[ball|escape ball]]`` the same
under another label, ``$\eta_0/(t + c)$`` an inline formula and ``$$...$$`` a display formula. `marked` converts HTML with
marks, `text_html` plain text with marks, `marked_first` marks terms in text without marks, and `unmarked` removes marks.
`GLOSSARY` has all terms; `lookup` returns one.
"""

from app.glossary.term import GLOSSARY, Term, lookup, marked, marked_first, term_name, text_html, unmarked

__all__ = ["GLOSSARY", "Term", "lookup", "marked", "marked_first", "term_name", "text_html", "unmarked"]
