"""The charts of the Exit time page: one file a chart, figures built once, data replaced in place."""
