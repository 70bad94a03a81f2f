"""The Compare page without its widgets: what is raced, the work in the thread, numbers and words."""
