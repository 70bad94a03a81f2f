"""The six models of the experiments, on synthetic or user data."""
