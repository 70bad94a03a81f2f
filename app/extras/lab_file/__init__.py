"""The lab in one HTML file: Live and Exit time without a server, from ``python -m app export lab.html``.

`lab_content` is what the file knows, as JSON: knobs, menus, defaults and lessons as the served page has them. `page_of` puts
it into one file with the scripts of `app/js/lab`, BokehJS and the sampler's WebAssembly module; `index_of` is the first
page of a folder with it for a static host.
"""
