"""User settings of the pages, one file per page (`live`, `exit_time`, `tune`, `compare`, `offline`, `coreset`).

Every knob is defined once, in its page's file, with its range, label, symbol and URL key; Offline's races are in
`offline_races`. ``page_state`` is the base class of a page's state, with links and frozen copies, ``parameters`` has the
parameter types and the reader of URL parameters, ``live_menu`` the problems, streams and algorithms of Live's menus,
``user_data`` the user's data and the initial knobs of Live on them.
"""
