"""What can be proved about the chains, and what eta0 predicts: pure functions, numbers in, numbers out."""
