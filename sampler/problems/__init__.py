"""WHAT is sampled: convex terms f_0, f_1, ... whose sum F_t defines pi_t ~ exp(-F_t)."""
