"""W2 of the Gaussian experiment's samplers at their best step sizes; 3.1 is the start (the first pass is set-up)."""

PASSES = (1, 2, 5, 10)
DISTANCES = {
    500: {"sgld": (.0202, .0126, .0055, .0032), "saga": (3.1, .0146, .0048, .0024), "svrg": (3.1, .0182, .0073, .0040),
          "half": (.0312, .0204, .0103, .0054), "plus": (.0361, .0245, .0120, .0064)},
    50_000: {"sgld": (.0004, .0002, .0002, .0002), "saga": (3.1, .0003, .0002, .0002), "svrg": (3.1, .0003, .0001, .0001),
             "half": (.0006, .0003, .0002, .0001), "plus": (.0007, .0004, .0002, .0001)}}
"""Number of terms -> sampler -> distance after each of ``PASSES``, to four decimals, and 5 % for the random data at n = 500.

SVRG-LD+ has anchors of n/2, "half", and n/5, "plus".
"""
