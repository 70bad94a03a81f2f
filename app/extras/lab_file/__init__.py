"""The lab in one HTML file: Live and Exit time without a server, from ``python -m app export lab.html``.

`lab_content` returns the content of the file as JSON: knobs, menus, defaults and lessons of the served pages. `page_of`
combines it with the scripts of `app/js/lab`, BokehJS and the sampler's WebAssembly module; `index_of` returns the start page
of a folder for a static host.
"""
