"""What the user can set: one file a page (`live`, `exit_time`, `tune`, `compare`, `offline`, `coreset`).

Every knob is said once, in its page's file, with its range, words, symbol and URL key; Offline's races are in
`offline_races`. ``page_state`` is the base of a page's state with its links and its frozen copy, ``parameters`` holds the
kinds of parameters and the reader of URL parameters, ``live_menu`` the problems, streams and algorithms of Live's menus,
``user_data`` the user's own data and the knobs that Live opens with on it.
"""
