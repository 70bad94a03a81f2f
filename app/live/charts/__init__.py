"""Time charts of the Live page: figures are built once, their data and properties updated in place."""
