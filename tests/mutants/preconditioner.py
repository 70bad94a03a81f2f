"""Of the preconditioned sampler: the metrics of each model and form."""

from tests.mutants.mutant import Mutant

MODELS = "algorithms/test_preconditioned_models.py::"
RULE = "algorithms/test_preconditioned_saga_ld.py::test_every_step_is_the_rule[poisson]"
EXACT = MODELS + "test_stationary_law_is_the_exact_one"
FORMS = MODELS + "test_stationary_law_in_every_form_of_the_metric[low-rank 2]"
TWO = MODELS + "test_no_curvature_in_h_is_older_than_a_quarter_of_t_and_two_are_taken_an_epoch"
ROUND = MODELS + "test_rank_d_less_one_is_the_dense_metric_where_t_has_just_doubled"

PRECONDITIONER = [
    Mutant("kernels", "(value - own) / np.log(max(growth, 1e-300))", "(value - own) / (2.0 * np.log(max(growth, 1e-300)))",
           RULE),
    Mutant("kernels", "h, square = value, target", "h, square = value, a * a", RULE),
    Mutant("kernels", "reweigh(kind, rows, targets, items, weights, matrix, t - 1 - age, t, weighting)",
           "reweigh(kind, rows, targets, items, weights, matrix, t - age, t, weighting)", RULE),
    Mutant("kernels", "metric.short[k, q] = 1.0 / np.sqrt(2.0 * t)", "metric.short[k, q] = 1.0 / np.sqrt(1.0 * t)",
           EXACT + "[gaussian_mean]"),
    Mutant("kernels", "white[q] = scale * noise[uint64(at + q)] - knobs.eta0 * white[q]",
           "white[q] = scale * noise[uint64(at + q)] - 0.5 * knobs.eta0 * white[q]", EXACT + "[factor]"),
    Mutant("kernels", "diagonal[q] += weight * row[q] * row[q]", "diagonal[q] += weight * row[q]",
           MODELS + "test_every_form_keeps_the_contract[logistic-diagonal]"),
    Mutant("kernels", "pull[i] = np.sqrt(level / max(values[i + 1], level)) - 1.0",
           "pull[i] = level / max(values[i + 1], level) - 1.0", ROUND),
    Mutant("kernels", "short[q] = 1.0 / np.sqrt(whitening.level[k] * diagonal[q])",
           "short[q] = 1.0 / np.sqrt(diagonal[q])", ROUND),
    Mutant("kernels", "            lengthen(basis, pull, push)\n", "            lengthen(basis, 0.0 * pull, push)\n", FORMS),
    Mutant("kernels", "size += (1.0 / (1.0 + pull[i]) ** 2 - 1.0) * total * total", "size += pull[i] * total * total",
           MODELS + "test_the_distance_from_a_checkpoint_is_that_of_the_acceptance_matrix"),
    Mutant("algorithms", "np.array([t - 1, t - 1 - since] if t > 1", "np.array([t - 1, t - since] if t > 1", TWO),
    Mutant("algorithms", "precision = own + taken if doubled", "precision = taken if doubled", TWO),
]
