"""Compare page without its widgets: problems, jobs, tables and texts."""
