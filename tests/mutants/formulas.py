"""Mutants by the test that must fail: a wrong constant, sign, exponent or factor.

In a text of the library, braces contain ``original -> mutated``.
"""

from tests.mutants.mutant import mutants
from tests.mutants.theory import THEORY

MUTANTS = THEORY + mutants({
    "test_the_sum_is_the_sum_of_the_cache": ["out[j] = value{ - item.value -> }\n"],
    "test_a_reset_starts_the_epoch_at_the_checkpoint": ["* (t + knobs.offset) > knobs.acceptance_radius{**2 -> }"],
    "test_calendar_finds_exactly_what_a_scan_finds": [
        "if items[datum].touched {== -> <} t // 2:\n                out[n] = datum"],
    "test_every_metropolis_step_is_the_papers": ["log_ratio -= back / ({4.0 -> 2.0} * step_size) - 0.5 * there"],
    "test_detailed_balance_holds_to_rounding_and_the_kernel_draws_those_subsamples": [
        "ratio += np.log((rate {- -> +} change) / rate)"],
    "test_the_remainder_is_what_is_left_of_the_potential_and_stays_within_its_bound": [
        "(near + across + far) / {3.0 -> 30.0}"],
    "test_data_estimate_the_derivative_without_bias_and_within_the_bound": ["row[i] < 0.0:\n        change = {- -> }change"],
    "test_every_step_is_the_papers": ["(x[q] - point[q]), {batches *  -> }change[q]"],
    "test_a_control_point_is_the_mode_of_all_data_at_powers_of_two": ["posterior.t < {2 *  -> }self.fitted"],
    "test_proposals_from_the_clouds_own_normal_mix_in_eight_dimensions": [
        "(noise**2).sum(axis=1) {- -> +} (white**2).sum(axis=1)", "if {step % 2 -> False}:\n                y, white"],
    "test_means": ["scores[j] = 1.0 / (1.0 + fast_exp({- -> }scores[j]))"],
    "test_the_general_path_makes_the_same_chain_and_every_evaluation_is_counted[svrg+-logistic]": [
        "base[q] *= {n / memory.chosen.size -> 1.0}"],
    "test_every_set_is_equally_likely_and_holds_no_index_twice": [
        "j ={ i + -> } int64(next_uniform(walk.rng[k, SUBSET_STREAM]) * {(n - i)) -> n)}"],
    "test_normals_have_the_normal_law": ["radius = np.sqrt(-{2.0 *  -> }fast_log(u))"],
    "test_a_narrow_and_a_wide_mode_have_their_shares": ["if {fine -> True}:\n", "if at(x) > level{ and acceptable(x) -> }:"],
    "test_the_compiled_step_is_the_rule": [
        "to_second = {count -> 1.0} / (1.0 - beta2**count)", "away = {abs( -> }w[i] - w0[i]{) -> }",
        "s[1] = max(s[1], {2.0 *  -> }s[3] / length)", "s[1] += {s[2] * s[2] *  -> }dot(g, g)"],
    "test_the_gaussian_shortcut_is_eq_4": [
        "rest = (residuals[k] - mean) / {(chains - 1) -> chains}", "q +={ 0.5 * -> } rest * (square - square_mean)"],
    "test_kernels_leave_the_posterior_invariant": ["spread = np.sqrt({(1.0 - memory * memory) -> 1.0} / (1.0 + total))"],
    "test_gamma_draws": ["d = shape{ - 1.0 / 3.0 -> }"],
    "test_inclusion_probabilities_are_exact": ["log_odds = np.log(share / (1.0 - share)){ + np.log(spike / slab) -> }"],
    "test_every_step_is_the_rule[poisson]": [
        "(value - own) /{ ->  (2.0 *} np.log(max(growth, 1e-300)){ -> )}", "h, square = value, {target -> a * a}",
        "reweigh(kind, rows, targets, items, weights, matrix, t - {1 -  -> }age, t, weighting)"],
    "test_stationary_law_is_the_exact_one[gaussian_mean]": ["metric.short[k, q] = 1.0 / np.sqrt({2.0 -> 1.0} * t)"],
    "test_stationary_law_is_the_exact_one[factor]": [
        "white[q] = scale * noise[uint64(at + q)] - { -> 0.5 * }eta0 * white[q]"],
    "test_every_form_keeps_the_contract[logistic-diagonal]": ["diagonal[q] += weight * row[q]{ * row[q] -> }"],
    "test_rank_d_less_one_is_the_dense_metric_where_t_has_just_doubled": [
        "pull[i] = {np.sqrt( -> }level / max(values[i + 1], level){) -> } - 1.0",
        "short[q] = 1.0 / np.sqrt({whitening.level[k] *  -> }diagonal[q])"],
    "test_stationary_law_is_the_exact_one[low-rank 2]": ["            lengthen(basis,{ ->  0.0 *} pull, push)\n"],
    "test_the_distance_from_a_checkpoint_is_that_of_the_acceptance_matrix": [
        "size += {(1.0 / (1.0 +  -> }pull[i]{) ** 2 - 1.0) -> } * total * total"],
    "test_exact_variance_is_that_of_drawn_batches": [
        "return float(t * {t *  -> }squares.mean())",
        "squares = ({(terms - terms.mean(axis=0)) **  -> terms**}2).sum(axis=1)"],
    "test_measured_from_scores_equals_measured_from_gradients": [
        "parts.append((problem.mean_function(scores){ - problem.mean_function(anchors) -> })"],
    "test_nested_rhat_detects_common_drift_and_rank_rhat_unmixed_chains": [
        "draws[:, {- -> :}segments * length{: -> }]"],
    "test_bounds_on_a_gradients_variance_by_hand": [
        "return {9.0 -> 4.0} * whole_number", "* ((row_norms * (scores - anchor_scores)) ** 2).{sum -> mean}() / b"],
    "test_wasserstein_is_the_formula_with_matrix_roots": ["np.trace(second) - {2.0 *  -> }cross"],
    "test_deviations_of_histograms_are_sums_over_all_counts": [
        "{np.minimum( -> }normal * ratio{, 2.0 * folded) -> }", "2.0 * nu{ * (1.0 - p) -> } * np.exp(log_pmf) / n",
        "np.sum((f * (1 - g{) + g * (1 - f -> }))[:-1] * np.diff(points))", "nu = np.floor(n * p){ + 1.0 -> }"],
    "test_accuracy_is_one_minus_the_mean_over_coordinates_of_half_the_bins_differences": [
        "np.abs(_shares(indices, 2 * OUTERMOST) - normal_bins()).{sum -> max}(axis=1)"],
    "test_joint_distance_of_few_draws_is_by_hand": [
        "float({0.5 *  -> }np.abs(observed - truth).sum())", "{( -> }np.arange(len(axis) + 1){ - 0.5) -> }",
        "np.linspace(-3, 3, bins{ + 1 -> })"],
    "test_held_out_likelihood_is_the_mean_over_rows_without_the_prior": [
        "prior ={ 0.5 * -> } theta**2 @ problem.prior_precision"],
    "test_correlations_are_numpys_and_their_band_students": [
        "0.5 * (1.0 + sure{ ** (1.0 / coordinates)) -> )}"],
    "test_coordinates_of_unequal_size_count_by_their_noise": ["return float(np.mean(sizes{ ** -0.5) ** -2 -> )})"],
    "test_the_spread_of_a_distance_is_that_of_jointly_normal_bins": [
        "scale, odds = np.sqrt(p{ * (1 - p) -> } * rate), np.sqrt(p / (1 - p))",
        "(r * np.arcsin(r) + np.sqrt(1 - r * r){ - 1 -> })", "return float({0.25 -> 0.5} * scale @ kernel @ scale)",
        "deviation, rate = mean_difference(p, n, m), 1.0 / n{ + 1.0 / m -> }",
        "np.sqrt(_distance_variance(p, rate){ / dim) -> ) / dim}"],
    "test_the_smoothed_law_is_a_kernel_estimate_of_the_same_variance": [
        "kernel = {0.9 -> 1.06} * max(spread, 0.05) * size**-0.2", "shrink = 1.0{ / np.sqrt(1.0 + kernel * kernel) -> }"],
    "test_a_smaller_bulk_size_is_averaged_in_with_weight_two": [
        "{np.cbrt -> np.sqrt}(direct * alike{ * alike -> })"],
    "test_a_subset_of_the_rows_has_its_reported_error": [
        "float(t * t * squares.std() / {np.sqrt( -> }len(terms)){) -> }"],
    "test_a_short_and_a_correlated_reference": [
        "carried = mean_difference(law, n, size).sum() / mean_difference(law, {half, size - -> n,} half).sum()"],
    "test_splitting_is_averaged_exactly": [
        "deviation = np.where(inside, 2.0 * v * {other / m *  -> }np.exp(log_chance), 0.0)"],
    "test_a_reference_has_its_own_effective_size": [
        "np.sqrt(np.mean(variances){ / d -> }))", "1.0 / n{ + 1.0 / size -> }))",
        "long = white + ({2.0 *  -> }power / (1.0 - power)) @ squares",
        "memory = {( -> }1.0 - share{) / (1.0 + share) -> }"],
    "test_a_summary_has_the_resets_and_the_score_of_all_its_epochs": [
        "total + (score or 0.0){ * len(part[0]) -> }", "resets {+ -> }= epoch.resets"],
    "test_rows_that_are_held_back_are_not_skipped": ["self.rows_taken - self._fingerprint.rows{ - self._blocks.held -> }"],
    "test_each_gate_passes_fails_and_names_itself": ["else least >{ -> =} limit)"],
    "test_the_lag_the_widths_and_the_law_are_those_of_the_modes_normal_law": [
        "np.sqrt(2.0 * np.log(2.0 * dim){ / chains -> })",
        "normal @ {self._spread -> self._spread.T}", "positions.std(axis=0{, ddof=1 -> })",
        "sd = np.sqrt((spread**2).sum(axis={0 -> 1}))"],
    "test_diagnostics_are_those_of_draws_in_the_last_epochs_units": [
        "draws = draws * {np.sqrt(ages / ages[-1])[:, None, None] -> 1.0}"],
    "test_exact_means_of_a_window_move_no_more_than_chance": ["weight @ ({both -> 1.0} / np.outer(ages, ages)) @ weight"],
    "test_every_step_is_that_of_the_rule": [
        "gradient = prior[q] * x[q] + {s[q] +  -> }scale * change[q]\n",
        "noise_scale = np.sqrt({2.0 *  -> }step_size)\n    size = 0.0", "return min({1 +  -> }int64(u * i_max), i_max)",
        "return ({(t - 1) -> t} & (t - {2 -> 1})) == 0 or t == 1",
        "or 2 * (t - n) >= t or {2 *  -> }(came - self.since) >= n:",
        "else self.since + ({1 -> 2} << (came - self.since).bit_length())", "max(old.touched {- dropped -> }, 0)"],
    "test_exact_draws_drift_no_more_than_chance": ["scale = np.sqrt(spread * {(moved + noise)) -> noise)}"],
    "test_the_worst_of_a_run_is_its_widest_and_its_narrowest_look": [
        "worst = {min if name.startswith(\"min\") else  -> }max"],
    "test_a_look_at_the_checkpoint_is_made_after_it": ["next_look(self.prequential.n{ - 1 -> })"],
    "test_bets_are_fair_and_the_capital_is_a_martingale": [
        "np.log1p(-SHARES * RATES){ - np.log1p(-SHARES) -> }",
        "self._capital = {won + np.logaddexp( -> np.logaddexp(won + }self._capital, staked)"],
    "test_p_values_are_independent_and_uniform_whatever_the_law": [
        "return max((below +{ tie * -> } alike) / self._n, 1e-300)"],
    "test_the_true_model_of_any_kind_is_calibrated": [
        "{np.clip -> }(above {/ np.where(jump > 0, jump, 1.0), 0.0, 1.0) -> > 0.5 * jump)}",
        "_without_jump(ndtr((features[:, None, :] - samples[None]) * np.sqrt(2.0)).mean(axis={1)) -> (1, 2))[:, None])}"],
    "test_a_loss_of_accuracy_within_tolerance_has_no_penalty": ["self._best - {ENOUGH[algorithm] -  -> }forecast"],
    "test_one_heavy_row_shortens_the_advised_step": ["s.eta0 * steepest <= {STEEPEST -> 10.0} * s.batch_size"],
    "test_advice_mixes_is_accurate_and_lists_its_assumptions": ["value <= {LIMIT_SHARES[name] -> 2.0} * LIMITS[name]"],
    "test_a_forecast_is_trusted_if_every_direction_is": ["{np.max -> np.min}(inflation[i]) - 1 <= WIDEST"],
    "test_the_acceptance_radius_covers_three_spreads_and_the_path_to_the_mode": ["{max -> min}(3.0 * spread, spread + 1.5"],
    "test_epochs_are_pooled_as_one_normal_law": ["(widths**2).mean(axis=0){ + centres.var(axis=0) -> }"],
    "test_the_cheapest_accurate_cell_is_chosen": ["/ TOLERANCE_DRAWS){ ** 0.5 -> })"],
    "test_noise_of_the_centre_is_no_lag": ["{(1.0 + 2.0 * np.sqrt(2.0 / len(epochs))) -> 1.0} / job.chains"],
    "test_counts_are_of_the_second_half_and_per_chain": [
        "{max(chains - 1, 1) -> chains} * judged", "{resets +=  -> }_observe(job, saga, t - 1, stop)",
        "** 2 / {(t + settings.offset) -> t}", "{( -> }saga.gradient_evaluations {- spent)  -> }/",
        "resets / ({(rows - half) -> rows} * job.chains)"],
    "test_resets_are_of_the_second_half_and_the_stable_step_is_of_the_epoch_of_divergence": [
        "{LONG_STEP -> 2.0} * divisor / largest_curvature", "(t + own.offset) / ({horizon -> t} + own.offset)",
        "1 << ({(cell.rows - 1).bit_length -> cell.rows.bit_length}() - 1)",
        "window, t = max(cell.rows{ // 2 -> }, 1)"],
    "test_exact_draws_are_safe": ["\"width\": WIDTH_LIMIT{ + reach / math.sqrt(2.0 * wide) -> }"],
    "test_limits_are_the_tabulated_ones_plus_measurement_noise": [
        "\"width\": WIDTH_LIMIT + { -> 3 * }reach / math.sqrt({2.0 *  -> }wide)",
        "reach = normal_reach(CHANCE{ / (self.dim or 1)) -> )}", "for r in (kept{**2 -> }, kept))",
        "self._effective(draws * (1 - r){ / (1 + r)) -> )}", "kept = kept{**self.spacing -> } if",
        "return{ 1.0 / (1.0 / -> } draws {+ 1.0 / reference)  -> }if",
        "\"lag\": LAG_LIMIT + reach / math.sqrt({ -> 2.0 * }centred)", "math.atanh(MEMORY_LIMIT) + {reach *  -> }step",
        "NARROW_LIMIT{ + reach / math.sqrt(2.0 * wide) -> }"],
    "test_resets_are_a_fault_beyond_the_allowance_of_their_own_window": [
        "return{ ->  64 *} self.resets / { -> (self.chains * }self.reset_epochs{ -> )}",
        "self.window{ if self.resets_window is None else self.resets_window -> }, 1)",
        "m.reset_rate <{= -> } m.limits[\"resets\"]"],
    "test_resets_are_per_chain_and_epoch_and_allowed_within_noise": [
        "return{ self.chains * -> } max(", "1.0 - CHANCE, RESETS_LIMIT{ * self.reset_epochs -> })",
        "return max({1.0 -> 0.0}, poisson_quantile(", "self._resets_allowed / {self.reset_epochs -> self.window})"],
    "test_without_counts_there_is_no_fault": ["and {( -> }self.dim is not None{ or math.isinf(count)) -> }"],
    "test_each_kind_has_its_numbers_and_a_valid_change": [
        "if steps <{= -> } settings.i_max:", "room = {0.5 *  -> }WIDTH_LIMIT"],
    "test_measurements_at_their_limits_are_safe": ["m.stale_share <{= -> } STALE_LIMIT:", "if m.epochs <{ -> =} WARM_UP:"],
    "test_of_several_causes_the_first_is_named": [
        "unknown_noise{ -> , hot}, lagging, {hot,  -> }cold", "m.t - epoch > OLD * {m.t -> epoch}"],
    "test_levels_are_those_of_the_first_rows_in_any_chunks": ["left -= {len(at) -> 0}"],
    "test_the_rest_of_a_chunk_starts_after_skipped_rows": ["gone = read - sum(at <{= -> } read"],
    "test_bad_cells_drop_their_row_with_a_count_and_reason": [
        "{(first_bad == j) & ( -> }why[:, j] == kind{) -> }"],
    "test_an_unreadable_row_explains_exactly_one_gap": ["self._unread -= {explained -> 0}"],
    "test_a_particle_filter_is_enough_for_a_skewed_posterior": [
        "(away * self.weights{[:, None] -> .max()}).T @ away", "chains={PARTICLES if filters else 1 -> 64},"],
    "test_a_particle_filter_is_run_if_every_fit_has_faults_on_few_rows_in_few_dimensions": [
        "problem.dim >{ -> =} LARGEST_DIM", "rows >{ -> =} MOST_ROWS"],
    "test_a_step_is_that_of_em_for_factor_analysis_and_leads_nearer": [
        "wide @ (wide.T @ scaled){ + added[:, None] * scaled -> }", "range({EM_STEPS -> 1})", "solved @ {inner -> eye}",
        "1.0 / np.sqrt(1.0 + values{**2 -> })"],
    "test_while_a_factor_is_free_no_datum_loses_anything": ["{math.sqrt(weight) -> weight} * row"],
    "test_draws_of_the_limited_memory_form_have_its_law_and_survive_a_file": [
        "left @ (shrunk * (left.T @ {noise -> noise + 1}))"],
    "test_slopes_over_seeds_have_their_standard_error": ["slopes.std(ddof=1){ / np.sqrt(slopes.size) -> }"],
    "test_a_noisy_crossing_is_ignored": [
        "accuracy = {isotonic_regression( -> }self.accuracy{).x -> }"],
    "test_a_diverged_chain_restarts_at_its_checkpoint_with_a_new_cache": [
        "self.gradient_evaluations += {self.t -> 0}", "np.lexsort(({steps, epochs -> epochs, steps}))[0]",
        "self._state.steps_done[k] = {self.run_lengths[k] -> 0}",
        "self._state.position[k] = {self._state.checkpoint -> self._state.warm_start}[k]"],
    "test_the_step_is_the_sdes_exact_gaussian": ["velocity = math.sqrt(-inverse_mass * math.expm1(-{2 *  -> }h))"],
    "test_series_and_formula_meet": ["return 2 * h - 3 + 4 * math.exp(-h){ - math.exp(-2 * h) -> }"],
    "test_every_update_is_the_papers": ["self.precision = self.precision + row**2 * p{ * expit(-z) -> }"],
    "test_a_datum_leads_to_the_nearest_gaussian": [
        "weight / ({square + -> 2.0 *} math.sqrt(square)) * along",
        "(log_mean + added - pulled{ - 0.5 * leverage / (1.0 + added) -> },"],
    "test_the_papers_two_equations_hold_from_anywhere": ["k = math.sqrt(PROBIT / (PROBIT + {variance -> leverage}))"],
    "test_between_two_refits_it_stays_near_the_mode": [
        "{self.mean = self.mean - (problem.mean_function(z) - target) * (along @ self._whitener) -> pass}"],
    "test_refits_follow_the_growth_of_the_data": [
        "return last +{ max(1, -> } math.ceil(refit * last){) ->  + 1}"],
    "test_the_path_does_not_depend_on_the_number_of_threads[OnlineSagaLD-logistic]": [
        "counts += {tallies.sum(axis=0) -> tallies[0]}", "else array[{self.first -> }:self.last{ ->  - self.first}]",
        "Chains(*(array[first:last]{ -> .copy()} for array in chains))"],
    "test_curvatures_in_h_are_renewed_two_per_epoch": [
        "np.array([t - 1, t - {1 -  -> }since] if t > 1", "precision ={ own + -> } taken if doubled"],
    "test_gradient_and_hessian_are_derivatives": [
        "return expit(scores){ * expit(-scores) -> }", "total ={ 0.5 * -> } (theta**2) @ self.problem.prior_precision"],
    "test_count_predictions_are_poisson_mixtures": ["np.sqrt(within{ + means.var(axis=1)) -> )}"],
    "test_linear_predictions_are_normal_mixtures": ["width = {ends.min -> ends.mean}(axis=1),"],
    "test_predictions_of_a_mean_take_no_features": ["\"noise_std\", {np.sqrt(0.5)) -> 1.0)}"],
    "test_probabilities_intervals_and_labels": [
        "[{( -> }1 - level{) / 2, (1 + level) / 2 -> , level}]"],
    "test_step_size_and_acceptance_distance": ["return self.eta0 / (t + self.offset){ ->  ** 0.5}"],
    "test_each_draw_has_its_own_noise": ["np.exp({0.5 *  -> }draws[:, -1])"],
    "test_students_density_is_scipys": ["return -0.5 * (HEAVY_DF + white.shape[1]{ ->  + 1}) *"],
    "test_scores_use_the_second_half_minus_the_truths_noise": [
        "(dim + 2) / {(count / 2) -> count}", "np.maximum(scores - truth_noise, {truth_noise -> 0.0})",
        "starts = {ends -> (ends + 1)} // 2", "window_means(squares, chains, iterations){ - means**2 -> }"],
    "test_noise_of_a_truth_is_the_mean_squared_error_of_its_means": [
        "float(np.mean{( -> }(measured.mcse / std) ** 2){) -> }", "np.abs(self.mean - self.mode){ / self.std -> }"],
    "test_the_statistic_is_the_papers_on_the_last_two_segments": [
        "deviation = np.sqrt((rest * rest).sum(axis=1) / {(n - 2)) -> n)}"],
    "test_z_score_is_eq_6_of_the_second_half_of_the_draws": ["starts = ends // {2 -> 3}"],
    "test_a_power_law_has_its_exponent_and_no_error": [
        "np.log(self.errors[:, late]).T, 1)[{0 -> 1}]", "late = self.iterations * {SETTLED -> 30000} >=",
        "self.slopes.std({ddof=1 -> }) / np.sqrt(len(self.slopes))"],
    "test_the_copies_are_the_weights_of_an_exact_coreset": ["np.cumsum(self.optimum.astype(np.int64))[{:-1 -> 1:}]"],
    "test_claims_are_compared_by_their_relation": ["return self.true {< -> >}= stated {+ -> -} slack"],
    "test_numbers_contradict_the_text_but_not_the_correction": [
        "(f(step) - 2.0 * f(0.0) + f(-step)) / step{**2 -> }", "return sigma, variance, sigma{ / 2.0 -> }",
        "error = (1.0 - q) * {max(error, anchor) -> error}", "tail, 2.0 * math.exp(-{0.5 -> 2.0} * c**2 / T)"],
    "test_cross_term_in_closed_form": ["cross += -{2.0 -> 1.0} * kept * rate"],
    "test_second_moment_constant_integrates_the_tail": ["math.sqrt(log * log + 2.0 * log + {2.0 -> 1.0})"],
    "test_exit_probability_matches_simulated_walks": ["np.sum({2.0 -> 1.0} / (roots * j1(roots)) * decay)"],
    "test_noise_of_algorithm_1_satisfies_lemma_6_4": ["shrink = {( -> }1.0 - step_size{) ** 2 -> }"]})
