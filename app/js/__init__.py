"""The browser's part: one JavaScript package, bundled by ``npm ci && npm run build``, and how Python reaches it."""
