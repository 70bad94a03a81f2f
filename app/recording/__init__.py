"""A run of Live as one HTML file that plays by itself: no server, no request, no library.

`plan_of_link` and `plan_of_lesson` say what to record, `record` plays and writes it::

    page = record(plan_of_lesson("lesson-7"))
    Path("lesson-7.html").write_text(page.html, encoding="utf-8")

A lesson on the Exit time page has an `ExitPlan`: `record_epoch` plays its chains through one
epoch, beside that page's figures.

Data flow: plan -> film (a run played along a clock) -> columns (clouds, charts, words) -> page. ``js/`` plays the file; the
chains are painted by ``app/canvas/js``, the same code that paints them on Live.
"""
