"""The charts of the Offline page: figures built once, data replaced in place."""
