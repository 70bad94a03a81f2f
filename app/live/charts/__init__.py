"""The time charts of the Live page: one file a chart, figures built once, data replaced in place."""
