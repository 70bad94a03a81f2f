"""What the user can set, page by page: every knob is said once, with its range, words and URL key.

``knob`` holds the kinds of parameters, ``page_state`` the base of a page's state with its links and its frozen copy,
``link`` the reader of URL parameters, and each page has a module with its state: ranges of its knobs stand there.
"""
