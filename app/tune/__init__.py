"""The Tune page without its pictures: data, sweeps, what they say and how it is taken away."""
