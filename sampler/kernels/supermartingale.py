"""Backward recursions of the exponential supermartingale for many starting values.

Each lane p starts from theta_p at the last step of a block and recurses backwards; the exponent t_j and
the accumulated cost C_j after j steps are stored at the requested j only. A lane whose exponent leaves its
domain (4 eta t >= 1) gets t = C = inf: that theta gives no bound for a block of this length.
The lanes are independent, so LLVM vectorises the inner loop of the first kernel.
"""

import numpy as np

from sampler.kernels.compile import kernel

FLUSH = 16  # factors are 0 or above 1e-16: a product of sixteen stays above the smallest float
LARGEST_EXPONENT = 600.0


@kernel()
def bounded_noise_path(theta, at, dim, step_size, contraction, noise_bound, exponent, cost):
    """Run the recursion for noise bounded by S: a = t / (1 - 4 eta t), t <- a k (1 + 2 a eta^2 S^2).

    theta : (P,) initial exponents.   at : (J,) increasing numbers of steps back.
    contraction : k in (0, 1].   exponent, cost : (J, P), output.
    """
    lanes = theta.size
    noise = (step_size * noise_bound) ** 2
    t = theta.copy()
    sums = np.zeros(lanes)
    logs = np.zeros(lanes)
    product = np.ones(lanes)
    j = 0
    for row in range(at.size):
        while j < at[row]:
            block = min(FLUSH, at[row] - j)
            for _ in range(block):
                for p in range(lanes):
                    room = max(1.0 - 4.0 * step_size * t[p], 0.0)
                    a = t[p] / room
                    product[p] *= room
                    sums[p] += a
                    t[p] = a * contraction * (1.0 + 2.0 * a * noise)
            for p in range(lanes):
                logs[p] += np.log(product[p])
                product[p] = 1.0
            j += block
        for p in range(lanes):
            total = sums[p] * noise - 0.5 * dim * logs[p]
            alive = np.isfinite(t[p]) and np.isfinite(total)
            exponent[row, p] = t[p] if alive else np.inf
            cost[row, p] = total if alive else np.inf


@kernel()
def batch_noise_path(theta, at, dim, step_size, contraction, holder, increment, spread, share, largest, exponent, cost):
    """Run the recursion for noise that is a sum of independent bounded terms (Bennett's inequality).

    With q = ``holder``, p = q / (q - 1), M = 2 q a eta ``increment`` and phi(M) = (e^M - 1 - M) / M^2:
    t <- a k (1 + 4 a eta^2 v q phi(M)),  cost += log(1 + w (e^{p a eta^2 Sbar^2} - 1)) / p - (d/2) log(room).

    increment : sqrt(k) r B / b.   spread : v.   share : w = min(1, V / Sbar^2).   largest : Sbar.
    """
    conjugate = holder / (holder - 1.0)
    for p in range(theta.size):
        t = theta[p]
        total = 0.0
        j = 0
        alive = True
        for row in range(at.size):
            while alive and j < at[row]:
                room = 1.0 - 4.0 * step_size * t
                a = t / room
                M = 2.0 * holder * a * step_size * increment
                x = conjugate * a * (step_size * largest) ** 2
                if room <= 0.0 or M > LARGEST_EXPONENT or x > LARGEST_EXPONENT:
                    alive = False
                    break
                # A series for small M, where e^M - 1 - M would cancel; the next term is M^4 / 720.
                phi = 0.5 + M / 6.0 + M * M / 24.0 + M**3 / 120.0 if M < 1e-2 else (np.expm1(M) - M) / (M * M)
                total += np.log1p(share * np.expm1(x)) / conjugate - 0.5 * dim * np.log(room)
                t = a * contraction * (1.0 + 4.0 * a * step_size**2 * spread * holder * phi)
                j += 1
            exponent[row, p] = t if alive else np.inf
            cost[row, p] = total if alive else np.inf
