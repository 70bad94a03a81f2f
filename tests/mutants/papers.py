"""Mutants of what the papers' other statements are made of: corollaries, lower bound, exact coresets, errata."""

from tests.mutants.mutant import Mutant

COROLLARIES = "theory/test_svrg_corollaries.py::"
BY_HAND = COROLLARIES + "test_corollary_3_6_by_hand"
HARDNESS = "theory/test_hardness.py::"
LOGISTIC = "theory/test_logistic_theorem.py::"
SMOOTHNESS = "theory/test_posterior_smoothness.py::"
CONVERGENCE = "coreset/test_weight_convergence.py::"
RECORDS = "errata/test_records.py::"
TRUTHS = "errata/test_truths.py::"

STATEMENTS = [
    Mutant("theory", "B = math.ceil(144 * d * variance", "B = math.ceil(72 * d * variance", BY_HAND),
    Mutant("theory", "eta = b * mu * eps**2 / (9 * q**2 * d", "eta = b * mu * eps**2 / (q**2 * d", BY_HAND),
    Mutant("theory", "math.sqrt(b * mu) * eps / (4 * q * M *", "math.sqrt(b * mu) * eps / (q * M *",
           COROLLARIES + "test_corollary_3_8_by_hand"),
    Mutant("theory", "mu * eps / (2 * q * rough)", "mu * eps / (q * rough)",
           COROLLARIES + "test_theorem_3_5_promises_eps_within_its_own_condition"),
    Mutant("theory", "int(1 / (6 * eta * pull))", "int(1 / (12 * eta * pull))", BY_HAND),
    Mutant("theory", "int(math.sqrt(b * mu / (24 * M**4 * eta**3)))", "int(math.sqrt(b * mu / (24 * M**2 * eta**3)))",
           COROLLARIES + "test_theorem_3_5_promises_eps_within_its_own_condition"),
    Mutant("theory", "/ -math.log1p(-eta * mu / 4)", "/ -math.log1p(-eta * mu / 2)", BY_HAND),
    Mutant("theory", "epochs * (B + 2 * b * m), printed", "epochs * (B + b * m), printed", BY_HAND),
    Mutant("theory", "(low, middle) if distance(middle) <= epsilon", "(low, middle) if distance(middle) <= 2 * epsilon",
           COROLLARIES + "test_the_exact_law_reaches_eps_long_before"),
    Mutant("theory", "math.sqrt(0.5 * (1.0 / share - 1.0))", "math.sqrt(1.0 / share - 1.0)",
           HARDNESS + "test_it_is_the_mean_distance_of_the_two_laws"),
    Mutant("theory", "1.0 / (1.0 + 2.0 * math.tan(", "1.0 / (1.0 + math.tan(",
           HARDNESS + "test_nearly_all_gradients_are_needed"),
    Mutant("theory", "low = sigma / (2.0 * math.e)", "low = sigma / 2.0", LOGISTIC + "test_by_hand_for_an_intercept"),
    Mutant("theory", "C = M**2 * math.sqrt(d * log) + d * M", "C = M**2 * math.sqrt(d * log) + M",
           LOGISTIC + "test_the_papers_experiment_ends_before_the_theorem_begins"),
    Mutant("theory", "(distance * (low * t + alpha) - alpha * B) / root", "distance * (low * t + alpha) / root",
           LOGISTIC + "test_the_least_constant_makes_both_parts_true_and_no_smaller_one_does"),
    Mutant("theory", "curvature = bound * posterior.t * np.eye", "curvature = posterior.t * np.eye",
           SMOOTHNESS + "test_by_hand"),
    Mutant("theory", "+ bound * (rows.T @ rows)", "+ rows.T @ rows", SMOOTHNESS + "test_by_hand"),
    Mutant("theory", "np.linalg.solve(metrics, curvature)", "np.linalg.solve(curvature, metrics)",
           SMOOTHNESS + "test_in_a_metric_it_is_that_of_the_whitened_coordinates"),
    Mutant("coreset", "x -= x.mean()", "x -= 0.0", CONVERGENCE + "test_a_power_law_has_its_power_and_no_error"),
    Mutant("coreset", "late = self.iterations * SETTLED >=", "late = self.iterations * 30000 >=",
           CONVERGENCE + "test_a_power_law_has_its_power_and_no_error"),
    Mutant("coreset", "self.slopes.std(ddof=1) / np.sqrt(len(self.slopes))", "self.slopes.std() / np.sqrt(len(self.slopes))",
           CONVERGENCE + "test_a_power_law_has_its_power_and_no_error"),
    Mutant("coreset", "np.cumsum(self.optimum.astype(np.int64))[:-1]", "np.cumsum(self.optimum.astype(np.int64))[1:]",
           CONVERGENCE + "test_the_copies_are_the_weights_of_an_exact_coreset"),
]

ERRATA = [
    Mutant("errata", "return self.true <= said + slack", "return self.true >= said - slack",
           RECORDS + "test_a_claim_is_compared_as_it_is_meant"),
    Mutant("errata", "cross += -2.0 * kept * rate", "cross += -1.0 * kept * rate",
           TRUTHS + "test_cross_term_in_closed_form"),
    Mutant("errata", "math.sqrt(log * log + 2.0 * log + 2.0)", "math.sqrt(log * log + 2.0 * log + 1.0)",
           TRUTHS + "test_second_moment_constant_integrates_the_tail"),
    Mutant("errata", "np.sum(2.0 / (roots * j1(roots)) * decay)", "np.sum(1.0 / (roots * j1(roots)) * decay)",
           TRUTHS + "test_exit_probability_is_what_walks_do"),
    Mutant("errata", "(spread / radius**2) ** (-0.5 * dim)", "(spread / radius**2) ** (0.5 * dim)",
           TRUTHS + "test_free_walk_bound_is_the_sharp_bound_without_noise_or_curvature"),
    Mutant("errata", "(f(step) - 2.0 * f(0.0) + f(-step)) / step**2", "(f(step) - 2.0 * f(0.0) + f(-step)) / step",
           RECORDS + "test_numbers_are_the_known_ones"),
    Mutant("errata", "variance, mended=sigma / 2.0)", "variance, mended=sigma)",
           RECORDS + "test_the_truth_contradicts_the_text_and_agrees_with_the_mended_one"),
    Mutant("errata", "error = (1.0 - q) * max(error, anchor)", "error = (1.0 - q) * error",
           RECORDS + "test_numbers_are_the_known_ones"),
    Mutant("errata", "mended=2.0 * math.exp(-0.5 * c**2 / T)", "mended=2.0 * math.exp(-2.0 * c**2 / T)",
           RECORDS + "test_the_truth_contradicts_the_text_and_agrees_with_the_mended_one"),
    Mutant("errata", "shrink = (1.0 - step_size) ** 2", "shrink = 1.0 - step_size",
           TRUTHS + "test_noise_as_in_algorithm_1_keeps_lemma_6_4"),
]
