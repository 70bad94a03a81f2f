"""Rules for moving the weights of a coreset."""
