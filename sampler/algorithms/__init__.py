"""HOW it is sampled: one file an algorithm, one contract (stream_sampler.py) for all that read a stream."""
