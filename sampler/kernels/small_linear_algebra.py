"""Linear algebra of small symmetric matrices without LAPACK, for kernels and WebAssembly.

Matrices are (d, d). Plain loops, O(d^3).
"""

import numpy as np

from sampler.kernels.compile import kernel

MOST_SWEEPS = 60  # of Jacobi's method; 6 to 10 converge to rounding error up to d = 50


@kernel(inner=True)
def product(row, x):
    """Return the inner product of x (d,) and the first d values of a padded row."""
    total = 0.0
    for q in range(x.size):
        total += row[q] * x[q]
    return total


@kernel(inner=True)
def add_outer(matrix, vector, weight):
    """Add weight v v' to ``matrix`` (d, d), v the first d values of a padded vector."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            matrix[i, j] += weight * vector[i] * vector[j]


@kernel(inner=True)
def multiply(left, right, out):
    """Write left @ right into ``out`` (m, n), left (m, >= d) with padded rows, right (d, n)."""
    for i in range(out.shape[0]):
        for j in range(right.shape[1]):
            out[i, j] = 0.0
            for q in range(right.shape[0]):
                out[i, j] += left[i, q] * right[q, j]


@kernel()
def cholesky(matrix, lower):
    """Write L with matrix = L L' into ``lower`` (d, d), and return whether the matrix is positive definite.

    Above the diagonal ``lower`` is set to 0. If False, its rows from the first nonpositive pivot on are undefined.
    """
    for i in range(matrix.shape[0]):
        for j in range(i + 1):
            total = matrix[i, j]
            for q in range(j):
                total -= lower[i, q] * lower[j, q]
            if i != j:
                lower[i, j], lower[j, i] = total / lower[j, j], 0.0
            elif total > 0.0:
                lower[i, i] = np.sqrt(total)
            else:
                return False
    return True


@kernel()
def solve_lower(lower, vector):
    """Replace ``vector`` by L^-1 vector."""
    for i in range(vector.size):
        for j in range(i):
            vector[i] -= lower[i, j] * vector[j]
        vector[i] /= lower[i, i]


@kernel()
def solve_upper(lower, vector):
    """Replace ``vector`` by L'^-1 vector."""
    for i in range(vector.size - 1, -1, -1):
        for j in range(i + 1, vector.size):
            vector[i] -= lower[j, i] * vector[j]
        vector[i] /= lower[i, i]


@kernel()
def invert(lower, out):
    """Write (L L')^-1 into ``out`` (d, d), with L from `cholesky`."""
    for i in range(out.shape[0]):
        for j in range(out.shape[0]):
            out[i, j] = 1.0 if i == j else 0.0
        solve_lower(lower, out[i])
        solve_upper(lower, out[i])


@kernel()
def jacobi(matrix, vectors):
    """Diagonalise a symmetric matrix (d, d) in place by Jacobi rotations, eigenvalues in ascending order.

    The rotations are applied to the rows of ``vectors`` (m, d): pass the identity, whose columns become the eigenvectors, or
    m = 0 for eigenvalues only. Each eigenvalue has an absolute error of about eps times the largest. A matrix that is not
    finite stays so.

    Source: Golub and Van Loan, Matrix Computations, section 8.5 (cyclic by rows).
    """
    d = matrix.shape[0]
    for _ in range(MOST_SWEEPS):
        changed = False
        for p in range(d):
            for q in range(p + 1, d):
                off = matrix[p, q]
                scale = abs(matrix[p, p]) + abs(matrix[q, q])
                if not abs(off) > 1e-17 * scale:
                    continue
                changed = True
                ratio = (matrix[q, q] - matrix[p, p]) / (2.0 * off)
                tangent = 1.0 / (abs(ratio) + np.sqrt(1.0 + ratio * ratio))
                if ratio < 0.0:
                    tangent = -tangent
                cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
                sine = tangent * cosine
                for i in range(d):
                    _turn(matrix[i], p, q, cosine, sine)
                for i in range(d):
                    a, b = matrix[p, i], matrix[q, i]
                    matrix[p, i], matrix[q, i] = cosine * a - sine * b, sine * a + cosine * b
                matrix[p, q] = matrix[q, p] = 0.0
                for i in range(vectors.shape[0]):
                    _turn(vectors[i], p, q, cosine, sine)
        if not changed:
            break
    for p in range(d):
        least = p
        for q in range(p + 1, d):
            if matrix[q, q] < matrix[least, least]:
                least = q
        matrix[p, p], matrix[least, least] = matrix[least, least], matrix[p, p]
        for i in range(vectors.shape[0]):
            vectors[i, p], vectors[i, least] = vectors[i, least], vectors[i, p]


@kernel(inner=True)
def _turn(row, p, q, cosine, sine):
    """Rotate entries p and q of a row."""
    a, b = row[p], row[q]
    row[p], row[q] = cosine * a - sine * b, sine * a + cosine * b


@kernel()
def eigen(matrix, metric, lower, values, vectors):
    """Solve H v = lambda M v, with lambda ascending and columns v of ``vectors`` (d, d) scaled to v' M v = 1.

    Parameters
    ----------
    matrix : (d, d) array
        H, symmetric; overwritten.
    metric : (d, d) array
        M, symmetric positive definite.
    lower : (d, d) array
        Output: L with M = L L'.
    values : (d,) array
        Output: lambda.
    vectors : (d, d) array

    Returns
    -------
    bool
        False if M is not positive definite; nothing is solved then.
    """
    d = values.size
    if not cholesky(metric, lower):
        return False
    for _ in range(2):  # L^-1 H, then L^-1 of its transpose
        for i in range(d):
            for j in range(i):
                matrix[i, j], matrix[j, i] = matrix[j, i], matrix[i, j]
        for i in range(d):
            solve_lower(lower, matrix[i])
    for i in range(d):
        for j in range(d):
            vectors[i, j] = 1.0 if i == j else 0.0
        for j in range(i):
            matrix[i, j] = matrix[j, i] = 0.5 * (matrix[i, j] + matrix[j, i])
    jacobi(matrix, vectors)
    for j in range(d):
        values[j] = matrix[j, j]
        solve_upper(lower, vectors[:, j])
    return True
