"""Plain Python of the library and of the pages as JavaScript, so that a rule or a sentence has one source."""
