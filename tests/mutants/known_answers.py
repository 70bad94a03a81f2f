"""Mutants of formulas whose answers are known by another way."""

from tests.mutants.mutant import Mutant

MOVING = "theory/test_moving_mode_bound.py::"
THEORY = "theory/test_known_answers.py::"
METRICS = "metrics/test_known_answers.py::"
TRUTH = "coreset/test_full_data_posterior.py::"
REPAIRED = THEORY + "test_the_repaired_promise_term_by_term"
AZUMA = THEORY + "test_azumas_bounds_are_the_formulas_of_the_papers_and_of_the_module"
MIXTURE = THEORY + "test_shares_of_a_mixture_are_integrals_of_normals"
RATES = THEORY + "test_rates_of_the_theorem_are_those_of_its_formula"
LOGISTIC = THEORY + "test_the_theorem_on_logistic_data_with_a_truth_that_is_not_zero"
SPREAD = METRICS + "test_the_spread_of_a_distance_is_that_of_jointly_normal_bins"
SMOOTHED = METRICS + "test_the_smoothed_law_is_a_kernel_estimate_of_the_same_variance"
DEVIATIONS = METRICS + "test_deviations_of_histograms_are_sums_over_all_counts"
SUBSET = METRICS + "test_a_subset_of_the_rows_has_the_error_it_says"
SCORES = TRUTH + "test_scores_are_of_the_second_half_less_the_truths_noise_and_end_there"
NOISY_TRUTH = TRUTH + "test_a_truths_noise_is_the_mean_over_coordinates_of_the_squared_errors_of_its_means"
KNOWN = "tuning/verdicts/test_known_limits.py::"
NOISE = KNOWN + "test_limits_are_their_tables_and_the_noise_of_what_was_measured"
RESETS = KNOWN + "test_resets_are_counted_by_chain_and_epoch_and_allowed_what_chance_makes"
COUNTED = KNOWN + "test_resets_are_a_fault_beyond_what_is_allowed_of_the_epochs_they_were_counted_in"
EXPONENTS = "theory/test_gaussian_complexity.py::test_noise_adds_to_the_variance_so_that_steps_grow_with_one_over_eps"

SURVIVED = [  # a list that was written without looking at the tests
    Mutant("theory", "_shift(ended, grid, shift), away + shift", "_shift(ended, grid, shift), shift",
           MOVING + "test_a_checkpoint_is_left_behind_by_all_moves_since"),
    Mutant("theory", "else np.logaddexp(started, moved)", "else np.maximum(started, moved)",
           MOVING + "test_going_back_for_any_reason_costs_the_sum_of_both_cases"),
    Mutant("theory", "failed = odds if odds < RARE else 0.0", "failed = 0.0",
           MOVING + "test_odds_of_going_back_are_counted_once_in_the_epoch_that_begins_so"),
    Mutant("theory", "        failed = 0.0\n        ended", "        ended",
           MOVING + "test_odds_of_going_back_are_counted_once_in_the_epoch_that_begins_so"),
    Mutant("theory", "rows = np.vstack([held[:1], np.minimum(held[1:], held[:-1])])", "rows = held",
           "theory/test_anytime_bound.py::test_between_two_steps_of_the_grid_nothing_is_promised_that_does_not_hold_there"),
    Mutant("theory", "repaired = math.sqrt(shrink ** (k // m) * W**2 + 2 * omega / (eta * mu))",
           "repaired = math.sqrt(shrink ** (k // m) * W**2 + omega / (eta * mu))", REPAIRED),
    Mutant("theory", "(error + M * d) + 2 * m * d * eta", "(error + M * d) + m * d * eta", REPAIRED),
    Mutant("metrics", "return float(np.mean(sizes ** -0.5) ** -2)", "return float(np.mean(sizes))",
           METRICS + "test_coordinates_of_unequal_size_count_by_their_noise"),
    Mutant("coreset", "float(np.mean((measured.mcse / std) ** 2))", "float(np.mean(measured.mcse / std) ** 2)", NOISY_TRUTH),
    Mutant("coreset", "np.maximum(scores - truth_noise, truth_noise)", "np.maximum(scores - truth_noise, 0.0)", SCORES),
]

OWN = [
    Mutant("theory", "wobble = 2.0 * step_size * (step_size * (noise_bound**2 + (smoothness * radius) ** 2) + dim)",
           "wobble = 2.0 * step_size * (step_size * (noise_bound**2 + smoothness * radius) + dim)", AZUMA),
    Mutant("theory", "largest + 2.0 * np.sqrt(2.0 * step_size) * cutoff * reach",
           "largest + np.sqrt(2.0 * step_size) * cutoff * reach",
           AZUMA),
    Mutant("theory", "reach = radius + step_size * (noise_bound + smoothness * radius)", "reach = radius", AZUMA),
    Mutant("theory", "omega = (1 + eta * mu) * eta**3 * M**2 * d / 3",
           "omega = (1 + eta * mu) * eta**3 * M**2 * d", REPAIRED),
    Mutant("theory", "math.exp(2 * (m * M * eta) ** 2)", "math.exp((m * M * eta) ** 2)", REPAIRED),
    Mutant("theory", "omega += min(4 * d * variance * eta**2 / b", "omega += min(2 * d * variance * eta**2 / b", REPAIRED),
    Mutant("theory", "eta**4 * (L**2 * d**2 + M**3 * d) / 2)", "eta**4 * (L**2 * d + M**3 * d) / 2)", REPAIRED),
    Mutant("theory", "shrink ** (k // m) * W**2", "shrink ** (k / m) * W**2", REPAIRED),
    Mutant("theory", "C1 = max(math.log(A / eps1), 0.0) / k", "C1 = max(math.log(1 / eps1), 0.0) / k", RATES),
    Mutant("theory", "eps1 = eps / (3.0 * T)", "eps1 = eps / T", RATES),
    Mutant("theory", "logarithm = math.log(max(L, d / L, reach, 1.0 / eps1))",
           "logarithm = math.log(max(L, d / L, reach))", RATES),
    Mutant("theory", "(M * (C + alpha * B) / low + M * C) ** 2", "(M * C / low + M * C) ** 2", LOGISTIC),
    Mutant("theory", "begins, (C * root + alpha * B) / (low * t + alpha), distance",
           "begins, C * root / (low * t + alpha), distance",
           LOGISTIC),
    Mutant("theory", "chernoff = f[:, 0] * s**2 + 0.5 * np.log(room).sum(axis=1)",
           "chernoff = f[:, 0] * s**2 + np.log(room).sum(axis=1)",
           THEORY + "test_the_tails_rate_is_the_least_slope_over_distances"),
    Mutant("theory", "_bernstein(log_count, B / (3.0 * b), V)", "_bernstein(log_count, B / b, V)",
           THEORY + "test_bernsteins_radius_is_passed_as_rarely_as_is_added"),
    Mutant("theory", "log_count = math.log(quiet.steps * (quiet.dim + 1) / failure)",
           "log_count = math.log((quiet.dim + 1) / failure)",
           THEORY + "test_bernsteins_radius_is_passed_as_rarely_as_is_added"),
    Mutant("theory", "np.where(is_reset_point(s), C1 / scale, np.inf)", "np.where(is_reset_point(s), C1 / scale**2, np.inf)",
           THEORY + "test_good_events_have_their_radii"),
    Mutant("theory", "errors = np.sqrt(spread / np.where(count > 1, count - 1, np.nan))",
           "errors = np.sqrt(spread / count)", THEORY + "test_pushes_are_means_of_increments_by_bin"),
    Mutant("theory", "middle = (np.arange(bins) + 0.5) * radius", "middle = np.arange(bins) * radius",
           THEORY + "test_pushes_are_means_of_increments_by_bin"),
    Mutant("theory", "low = np.where(k > 0, betaincinv(np.maximum(k, 1.0), chains - k + 1.0, tail), 0.0)",
           "low = np.where(k > 0, betaincinv(np.maximum(k, 1.0), chains - k, tail), 0.0)",
           THEORY + "test_limits_and_survival_are_scipys_and_by_hand"),
    Mutant("theory", "at, side=\"right\")",
           "at, side=\"left\")", THEORY + "test_limits_and_survival_are_scipys_and_by_hand"),
    Mutant("theory", "variance = np.maximum(share - square, 0.0) / draws", "variance = np.maximum(share, 0.0) / draws",
           THEORY + "test_expected_accuracy_is_the_mean_over_draws_of_both_histograms"),
    Mutant("theory", "variance + target * (1 - target) / reference_draws", "variance + target / reference_draws",
           THEORY + "test_expected_accuracy_is_the_mean_over_draws_of_both_histograms"),
    Mutant("theory", "np.mean(np.square(each_start(centres[:, ::every], spreads, weights)), axis=0)",
           "np.square(np.mean(each_start(centres[:, ::every], spreads, weights), axis=0))", MIXTURE),
    Mutant("theory", "gathered = gathered.reshape(lengths * d, cells) / k",
           "gathered = gathered.reshape(lengths * d, cells)", MIXTURE),
    Mutant("theory", "level = (2.0 * eta[:, None] + x**2 * noise)",
           "level = (2.0 * eta[:, None] + eta[:, None]**2 * noise)", EXPONENTS),
    Mutant("theory", "_log_steps(eta, l, sigma**2 / b, epsilon)", "_log_steps(eta, l, sigma**2, epsilon)", EXPONENTS),
    Mutant("theory", "return self.precision * (D + self.mode) + surplus @ self.rows",
           "return self.precision * D + surplus @ self.rows",
           THEORY + "test_a_logistic_target_is_the_derivative_of_its_potential_and_its_curvature_that_of_its_rows"),
    Mutant("theory", "log_start = exponent[1] * float(start) ** 2 + cost[1]",
           "log_start = exponent[1] * float(start) + cost[1]",
           THEORY + "test_one_block_at_a_given_theta_is_walked_by_hand"),
    Mutant("metrics", "scale, odds = np.sqrt(p * (1 - p) * rate), np.sqrt(p / (1 - p))",
           "scale, odds = np.sqrt(p * rate), np.sqrt(p / (1 - p))", SPREAD),
    Mutant("metrics", "(r * np.arcsin(r) + np.sqrt(1 - r * r) - 1)", "(r * np.arcsin(r) + np.sqrt(1 - r * r))", SPREAD),
    Mutant("metrics", "return float(0.25 * scale @ kernel @ scale)", "return float(0.5 * scale @ kernel @ scale)", SPREAD),
    Mutant("metrics", "deviation, rate = mean_difference(p, n, m), 1.0 / n + 1.0 / m",
           "deviation, rate = mean_difference(p, n, m), 1.0 / n", SPREAD),
    Mutant("metrics", "np.sqrt(_distance_variance(p, rate) / dim)", "np.sqrt(_distance_variance(p, rate)) / dim", SPREAD),
    Mutant("metrics", "kernel = 0.9 * max(spread, 0.05) * size**-0.2",
           "kernel = 1.06 * max(spread, 0.05) * size**-0.2", SMOOTHED),
    Mutant("metrics", "shrink = 1.0 / np.sqrt(1.0 + kernel * kernel)", "shrink = 1.0", SMOOTHED),
    Mutant("metrics", "np.sum((f * (1 - g) + g * (1 - f))[:-1] * np.diff(points))",
           "np.sum((f * (1 - g))[:-1] * np.diff(points))",
           DEVIATIONS),
    Mutant("metrics", "nu = np.floor(n * p) + 1.0", "nu = np.floor(n * p)", DEVIATIONS),
    Mutant("metrics", "np.cbrt(direct * alike * alike)", "np.sqrt(direct * alike)",
           METRICS + "test_a_known_bulk_size_that_is_smaller_is_averaged_in_with_weight_two"),
    Mutant("metrics", "* ((row_norms * (scores - anchor_scores)) ** 2).sum() / b",
           "* ((row_norms * (scores - anchor_scores)) ** 2).mean() / b",
           METRICS + "test_bounds_on_a_gradients_variance_by_hand"),
    Mutant("metrics", "float(t * t * about.std() / np.sqrt(len(rows)))", "float(t * t * about.std())", SUBSET),
    Mutant("metrics", "float(t * t * squares.std() / np.sqrt(len(terms)))",
           "float(t * t * squares.std() / len(terms))", SUBSET),
    Mutant("metrics", "place = np.clip((at - axis[0]) / step + 0.5, 0.0", "place = np.clip((at - axis[0]) / step, 0.0",
           METRICS + "test_joint_distance_of_few_draws_is_by_hand"),
    Mutant("metrics", "np.linspace(-3, 3, bins + 1)",
           "np.linspace(-3, 3, bins)", METRICS + "test_joint_distance_of_few_draws_is_by_hand"),
    Mutant("coreset", "starts = ends // 2", "starts = (ends + 1) // 2", SCORES),
    Mutant("coreset", "window_means(squares, chains, iterations) - means**2",
           "window_means(squares, chains, iterations)", SCORES),
    Mutant("coreset", "np.abs(self.mean - self.mode) / self.std", "np.abs(self.mean - self.mode)", NOISY_TRUTH),
]

LIMITS = [
    Mutant("tuning", "self.window if self.resets_window is None else self.resets_window, 1)", "self.window, 1)", COUNTED),
    Mutant("tuning", "return self.chains * max(", "return max(", RESETS),
    Mutant("tuning", "pdtrik(1.0 - CHANCE, RESETS_LIMIT * self.reset_epochs)", "pdtrik(1.0 - CHANCE, RESETS_LIMIT)", RESETS),
    Mutant("tuning", "return max(1.0, float(np.ceil(", "return max(0.0, float(np.floor(", RESETS),
    Mutant("tuning", "self._resets_allowed / self.reset_epochs)", "self._resets_allowed / self.window)", RESETS),
    Mutant("tuning", "m.reset_rate <= m.limits[\"resets\"]", "m.reset_rate < m.limits[\"resets\"]", COUNTED),
    Mutant("tuning", "reach = -ndtri(CHANCE / (self.dim or 1))", "reach = -ndtri(CHANCE)", NOISE),
    Mutant("tuning", "for r in (kept**2, kept))", "for r in (kept, kept))", NOISE),
    Mutant("tuning", "self._effective(draws * (1 - r) / (1 + r))", "self._effective(draws * (1 - r))", NOISE),
    Mutant("tuning", "kept = kept**self.spacing if", "kept = kept if", NOISE),
    Mutant("tuning", "return 1.0 / (1.0 / draws + 1.0 / reference) if", "return draws if", NOISE),
    Mutant("tuning", "\"lag\": LAG_LIMIT + reach / np.sqrt(centred)", "\"lag\": LAG_LIMIT + reach / np.sqrt(2.0 * centred)",
           NOISE),
    Mutant("tuning", "np.arctanh(MEMORY_LIMIT) + reach * step", "np.arctanh(MEMORY_LIMIT) + step", NOISE),
    Mutant("tuning", "NARROW_LIMIT + reach / np.sqrt(2.0 * wide)", "NARROW_LIMIT", NOISE),
]
