"""Parts of the Offline page: background jobs, views, sidebar, texts, CSV, and shipped results."""
