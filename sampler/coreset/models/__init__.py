"""The six models of the experiments, on generated data or the user's."""
