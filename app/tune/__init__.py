"""Parts of the Tune page: data, sweeps, texts, cards and export."""
