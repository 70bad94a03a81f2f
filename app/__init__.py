"""The dashboard: the sampler of `sampler`, running and visible."""
