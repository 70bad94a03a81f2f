"""JavaScript package of the browser, bundled by ``npm ci && npm run build``, and its interface to Python."""
