"""The Exit time page without its widgets: what can be set, the thread that computes, numbers and words."""
