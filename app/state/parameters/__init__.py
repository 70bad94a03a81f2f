"""The kinds of parameters that pages' states are made of; each knows its range, its words and its URL key."""
