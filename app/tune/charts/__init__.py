"""The charts of the Tune page: one file a chart, figures built once, data replaced in place."""
