"""What the Live page runs: a configuration, a run, the snapshots it publishes."""
