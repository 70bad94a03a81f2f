"""The lab in one HTML file: Live and Exit time without a server, from ``python -m app export lab.html``.

`lab_content` is what the file knows, as JSON: knobs, menus, defaults and lessons as the served page has them. `page_of` puts
it into one file with the scripts of `app/js/lab`, BokehJS and the sampler's WebAssembly module; `site_of` writes the same as
a folder for a static host.
"""
