"""The Coreset page: what is run, remembered, drawn and said. Knows nothing of Panel."""
