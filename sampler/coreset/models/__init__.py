"""The six models of the experiments, on generated data or a person's."""
