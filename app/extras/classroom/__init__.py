"""A class watches one run together: its teacher turns the knobs, its students follow, each with chains of her own."""
