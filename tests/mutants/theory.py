"""Mutants of the theory, by the test that must fail."""

from tests.mutants.mutant import mutants

THEORY = mutants({
    "test_a_block_of_directions_against_a_plain_walk_back": [
        "step_size * (1.0 + {0.5 * -> } step_size * noise_bound**2) * (x / radius)[None, :] ** 2",
        "np.exp({0.5 *  -> }end * log_k) * x[None, :] * (start / radius)"],
    "test_the_mean_over_directions_is_a_bessel_function": ["density = ({1.0 - dim -> 2.0 - dim}) * (np.abs(u)"],
    "test_the_modes_move_is_paid_in_full": [
        "{(1.0 + 1.0 -> shift**2} / GROWTHS{) * shift**2 -> }",
        "chord(grid[:, None] * {(1.0 +  -> }GROWTHS{) -> }, grid, ended)"],
    "test_a_chain_that_begins_an_epoch_outside_has_left": [
        "{np.where((ends == lengths) & (not begun.first), lengths,  -> }lengths - 1{) -> }",
        "STEPS, {0 if not at.first else  -> }1)"],
    "test_one_epoch_is_the_local_bound": ["started ={ ->  0.5 *} grid * rho**2"],
    "test_a_missing_shift_or_smoothness_bounds_nothing": [
        "bounded = [epoch.stable{ and (i == 0 or shifts[i] is not None) -> }"],
    "test_a_checkpoint_is_left_behind_by_all_moves_since": ["_shift(ended, grid, shift), {away +  -> }shift"],
    "test_going_back_for_any_reason_costs_the_sum_of_both_cases": ["else {np.logaddexp -> np.maximum}(started, moved)"],
    "test_odds_of_going_back_are_counted_once_in_the_epoch_that_begins_so": [
        "failed = {odds if odds < RARE else  -> }0.0", "        {failed = 0.0\n         -> }ended"],
    "test_one_step_with_batch_noise_by_hand": [
        "_bound(quiet, b, V, v, B, size){ + added -> }, size", "share = min(1.0, V / sbar{**2 -> })",
        "increment = {math.sqrt(k) -> k} * r * B"],
    "test_without_smoothness_nothing_is_claimed": ["        L = { -> 0.0 if smoothness is None else }math.inf"],
    "test_unstable_steps_are_reported_not_bounded": ["self.step_size * self.smoothness <= {2.0 -> 20.0}"],
    "test_steps_that_overshoot_use_the_other_contraction": ["(1.0 - eta * m) ** 2,{ (1.0 - eta * L) ** 2, -> }"],
    "test_the_free_walk_table": [
        "lift ={ ->  2.0 *} self.dim * self.step_size * at", "log = -{0.5 *  -> }self.dim * np.log(u) + (1.0 - u)",
        "exponent = -{0.5 -> 1.0} * (room / largest) ** 2", "cut_off = np.exp(-(cutoff**2{ - dim -> }) / 8.0)",
        "np.exp(exponent{ / np.maximum(n, 1.0)) -> )}"],
    "test_sharp_is_the_minimum_of_its_formula": ["(start2{ / u -> } - r2) / (4.0 * self.step_size * at)"],
    "test_a_block_against_a_plain_walk_back": [
        "theta = (1.0 - u) / ({4.0 -> 2.0} * step_size * g_end)", "paid = theta * {np.exp(end * log_k) /  -> }u * start**2"],
    "test_what_it_returns": [
        "(log_count * a) ** 2 + {2.0 *  -> }log_count * variance", "_bernstein(log_count, B / {(3.0 * b) -> b}, V)",
        "log_count = math.log({quiet.steps *  -> }(quiet.dim + 1) / ADDED_FAILURE)"],
    "test_the_noise_of_a_state_is_that_of_all_its_batches": [
        "gram = (delta.T @ delta if delta.shape[1] <= t else delta @ delta.T) {* (t / b) -> / b}"],
    "test_rates_of_the_theorem_are_those_of_its_formula": [
        "C1 = {max( -> }math.log({A -> 1.0} / eps1){, 0.0) -> } / k", "math.ceil({20 -> 40} * Fraction(reach) ** 2",
        "C1 = max(math.log({A -> 1} / eps1), 0.0) / k", "eps1 = eps / {(3.0 * T) -> T}",
        "logarithm = math.log(max(L, d / L, reach{, 1.0 / eps1 -> }))"],
    "test_run_lengths_integrate_as_a_sum_over_all_lengths_would": [
        "return{ 0.5 + -> } settings.i_max * (NODES + 1) / 2, WEIGHTS / 2"],
    "test_an_escape_is_never_forgotten": ["return _event({np.sqrt( -> }squared{) -> }, s, R / scale)"],
    "test_limits_and_survival_are_scipys_and_by_hand": [
        "high[j] = 1.0 - _beta_quantile(rest, {k + 1.0 -> max(k, 1.0)}, tail)",
        "low[j] = _beta_quantile(k, rest{ + 1.0 -> }, tail) if k > 0",
        "at, side=\"{right -> left}\")"],
    "test_a_logistic_target_is_the_derivative_of_its_potential_and_its_curvature_that_of_its_rows": [
        "far, near = np.abs(self.scores){ + moved -> },",
        "points = {(D + self.mode) -> D}.reshape(-1, self.dim)"],
    "test_the_tails_rate_is_the_least_slope_over_distances": [
        "chi_square_log_tails(s**2 / v[{-1 -> 0}], v.size, log_tail)",
        "chernoff = f[:, 0] * s**2 + {0.5 *  -> }np.log(room).sum(axis=1)"],
    "test_the_theorem_on_logistic_data_with_a_truth_that_is_not_zero": [
        "low = sigma / {(2.0 * math.e) -> 2.0}", "(M * {(C + alpha * B) -> C} / low + M * C) ** 2",
        "begins, {( -> }C * root{ + alpha * B) -> } / (low * t + alpha), distance"],
    "test_the_repaired_promise_term_by_term": [
        "repaired = math.sqrt(shrink ** (k // m) * W**2 + {2 *  -> }omega / (eta * mu))",
        "(error + M * d) + {2 *  -> }m * d * eta", "omega = (1 + eta * mu) * eta**3 * M**2 * d{ / 3 -> }",
        "math.exp({2 *  -> }(m * M * eta) ** 2)", "omega += min({4 -> 2} * d * variance * eta**2 / b",
        "eta**4 * (L**2 * d{**2 -> } + M**3 * d) / 2)", "shrink ** (k {/ -> }/ m) * W**2"],
    "test_azumas_bounds_are_the_formulas_of_the_papers_and_of_the_module": [
        "wobble = 2.0 * step_size * (step_size * (noise_bound**2 + {( -> }smoothness * radius) {** 2)  -> }+ dim)",
        "largest +{ 2.0 * -> } np.sqrt(2.0 * step_size) * cutoff * reach",
        "reach = radius{ + step_size * (noise_bound + smoothness * radius) -> }"],
    "test_only_reset_points_matter_for_h": ["np.where(is_reset_point(s), C1 / scale{ -> **2}, np.inf)"],
    "test_expected_accuracy_is_the_mean_over_draws_of_both_histograms": [
        "noisy = {np.minimum(noisy, share + target) -> noisy + 0.0}",
        "variance = np.maximum(share{ - square -> }, 0.0) / draws",
        "variance + target {* (1 - target)  -> }/ reference_draws"],
    "test_shares_of_a_mixture_are_integrals_of_normals": [
        "{ -> np.square(}np.mean{(np.square -> }(each_start(centres[:, ::every], spreads, weights){) -> }, axis=0){ -> )}",
        "gathered = gathered.reshape(lengths * d, cells){ / k -> }"],
    "test_one_block_at_one_theta_is_walked_by_hand": [
        "exponent[{0 -> 1}] * r2 + cost[{0 -> 1}])", "log_start = exponent[1] * float(start) {** 2  -> }+ cost[1]"],
    "test_the_noise_of_sgld_is_the_terms_covariance": ["turned = turned {- turned.mean(axis=0) -> + 0.0}"],
    "test_anchor_factors_are_means_over_ages": [
        "return 2.0 * (1.0 - e), {1.0 - 2.0 * e + e2 -> 2.0 * (1.0 - e)}", "e2 = p / {(2.0 - p)  -> 2.0 }*",
        "p = {-np.expm1(b * np.log1p(-1.0 / t)) if t > 1 else 1.0 -> b / t}"],
    "test_the_excess_spread_is_that_of_the_exact_recursion": [
        "change = (injected + eta{**2 -> } * noise) / lost - covariance"],
    "test_stationary_law_and_predicted_accuracy_are_the_librarys": ["feedback ={ 0.5 * -> } eta * base[:, None] * gain"],
    "test_the_anchors_error_is_the_mean_over_all_subsets": [
        "missing = (n - plan.anchor_batch) / (plan.anchor_batch * {(n - 1)) -> n)}",
        "added ={ 2 * -> } self.step_size * np.eye"],
    "test_sagas_map_is_the_mean_over_all_batches": [
        "alone = {(p - q2) -> p} / n", "step[..., V, V] = {1.0 - 2.0 * p + q2 -> (1.0 - p) ** 2}",
        "r = 1.0 - (1.0 - 1.0 / n) ** {(b - 1) -> b}"],
    "test_it_is_the_first_step_of_the_recursion_at_its_best_step_size": [
        "level = (2.0 * eta[:, None] + x{**2 -> } * noise)", "/{ (x * (2.0 - x)) ->  (2.0 * x)}",
        "spread = {np.sqrt( -> }level * (1.0 - power**2){) -> } - 1.0 / {np.sqrt(l) -> l}"],
    "test_noise_adds_to_the_variance_so_that_steps_grow_with_one_over_eps": [
        "level = (2.0 * eta[:, None] + {x -> eta[:, None]}**2 * noise)", "_log_steps(eta, l, sigma**2{ / b -> }, epsilon)"],
    "test_on_small_rows_the_information_fixes_where_the_theorem_begins": ["M**4 * log / ({8.0 -> 4.0} * sigma**2)"],
    "test_the_reference_constants": [
        "eps2 = eps / (3.0 * math.ceil(math.log2(T){ + 1.0 -> }))",
        "eta0 = Fraction(eps2) ** 2 / ({2 *  -> }Fraction(L) ** 2",
        "return TheoremConstants(float(eta0), i_max, {2.5 *  -> }reach,"],
    "test_it_is_the_mean_distance_of_the_two_laws": ["math.sqrt{(0.5 *  -> }(1.0 / share - 1.0){) -> }"],
    "test_nearly_all_gradients_are_needed": ["1.0 / (1.0 + {2.0 *  -> }math.tan("],
    "test_the_papers_experiment_ends_before_the_theorem_begins": ["C = M**2 * math.sqrt(d * log) + {d *  -> }M"],
    "test_the_least_constant_makes_both_parts_true_and_no_smaller_one_does": [
        "{( -> }distance * (low * t + alpha) {- alpha * B)  -> }/ root"],
    "test_three_sums_make_the_change": [
        "pull = -2.0 * eta * _dot({full -> g}, D)", "drift = 2.0 * eta * d + eta**2 * _dot({g, g -> full, full})",
        "martingale += _dot(noise, noise){ - 2.0 * eta * d -> }"],
    "test_compiled_pushes_against_records": [
        "errors = np.sqrt(spread / {np.where(count > 1, count - 1, np.nan)) -> count)}",
        "middle = {( -> }np.arange(bins) {+ 0.5)  -> }* radius"],
    "test_start_and_memory": [
        "standard_normal((256, dim)) / {np.sqrt(lam) -> lam} @", "{np.max -> np.min}(inflation) - 1 <= WIDEST_TRUSTED"],
    "test_turned_coordinates_use_the_whole_covariance": [
        "(1.0 - powers[:, :, None] {* powers[:, None, :] -> ** 2})", "added = float({0.5 *  -> }eta *",
        "[:, None] % 2 == {1 -> 0}), -powers"],
    "test_universal_table": ["noisy = s {* -> /} np.sqrt(2 / np.pi) * np.exp("],
    "test_concentration_of_a_gaussian": ["{( -> }sum(variances){ + away) -> }"],
    "test_smoothness_is_the_largest_row": ["curvature_bound * self._largest_row{**2 -> }"],
    "test_smoothness_of_a_posterior_by_hand": [
        "curvature ={ bound * -> } posterior.t * np.eye", "+ {bound * ( -> }rows.T @ rows{) -> }"],
    "test_in_a_metric_it_is_that_of_the_whitened_coordinates": [
        "np.linalg.solve({metrics, curvature -> curvature, metrics})"],
    "test_odds_are_sharp_for_points": [
        "chord(p {* (1.0 + 1.0 / h) -> / h} * f, grid, checkpoint) / p", "chord(q * {(1.0 + h) -> h} * f, grid, stay) / q"],
    "test_resets_cost_nothing_where_they_are_rare_and_something_where_they_are_not": [
        "else {np.logaddexp( -> }started{, moved) -> }"],
    "test_a_column_is_the_recursion_in_closed_form": [
        "paid = chord(exponent, at.grid, at.started){ + cost -> }  #",
        "held[np.searchsorted(back, end - before)]{ - paid[at_start] -> }"],
    "test_one_epoch_against_convex_and_curved_bound": [
        "rows = {np.vstack([ -> }held[:1]{, np.minimum(held[1:], held[:-1])]) -> }"],
    "test_a_coarse_grid_of_steps_is_valid_between_its_steps": [
        "rows = {np.vstack([held[:1], np.minimum(held[1:], held[:-1])]) -> held}"],
    "test_the_terms_of_theorem_3_5_by_hand": [
        "(b * mu / (24 * M**4 * m**2)) ** (1 / {3 -> 2})", "{3 *  -> }math.sqrt(error) / mu",
        "{4 -> 2} * eta * M * math.sqrt(m * d)"],
    "test_the_repaired_rate_is_that_of_its_recursion": ["shrink ={ 0.5 * (1 + -> } (1 - eta * mu) ** m{) -> }"],
    "test_corollary_3_6_by_hand": [
        "B = math.ceil({144 -> 72} * d * variance", "eta = b * mu * eps**2 / ({9 *  -> }q**2 * d",
        "int(1 / ({6 -> 12} * eta * pull))", "/ -math.log1p(-eta * mu / {4 -> 2})",
        "epochs * (B +{ 2 * -> } b * m), printed"],
    "test_corollary_3_8_by_hand": ["math.sqrt(b * mu) * eps / ({4 *  -> }q * M *"],
    "test_theorem_3_5_promises_eps_within_its_own_condition": [
        "mu * eps / ({2 *  -> }q * rough)", "int(math.sqrt(b * mu / (24 * M**{4 -> 2} * eta**3)))"],
    "test_the_exact_law_reaches_eps_long_before": ["key=lambda epochs: distance(epochs) <= { -> 2 * }epsilon"],
    "test_the_terms_of_the_promise_by_hand": [
        "start, step, noise = W2 / ({2.0 -> 4.0} * eta * n)", "{ -> 0.5 * }eta * L * d, 0.5 * eta * sigma2",
        "0.5 * eta * sigma2{ * (1.0 + eta * L) -> }", "min(leave + math.sqrt({0.5 -> 0.25} * (start + step + noise)), 1.0)"],
    "test_it_is_lemma_6_4_or_better": ["printed = max({2.0 *  -> }eta * (L * d + sigma2)"],
    "test_nothing_is_claimed_on_a_missing_argument": [
        " == wanted{ and values[name] < math.inf -> })", "if L < math.inf and eta * L > {1.0 -> 2.0}:"],
    "test_the_coupling_is_never_nearer_than_the_best_one": [
        "((start - mean) ** 2).sum(axis=1).mean(){ + np.trace(covariance) -> }"],
    "test_threads_and_slices_change_nothing[flat]": ["shown = slice(*part), self.paths{[part[0] * self._lanes:] -> }"],
    "test_batch_noise_pays_for_batches_of_two_values": [
        "(1.0 + {4.0 -> 2.0} * a * step_size**2 * spread * holder * phi)", "spread{ * holder -> } * phi)",
        "M ={ 2.0 * holder * -> } a * step_size * increment", "else {(np.expm1(M) - M) / (M * M) -> 0.5}",
        "np.log1p(share * {np.expm1(x) -> x}) / conjugate", "x ={ conjugate * -> } a * (step_size * largest) ** 2"],
    "test_bounded_noise_pays_for_a_fair_coin_along_the_line": [
        "(1.0 +{ 2.0 * -> } a * noise)", "total = {sums[p] * noise -  -> -}0.5 * dim * logs[p]"],
    "test_without_noise_one_step_is_an_equality": ["room = max(1.0 - {4.0 -> 2.0} * step_size * t[p], 0.0)"],
    "test_the_largest_drift_outlives_a_mode_that_has_settled": [
        "square = max(square, {pairs[i, 1] * (pairs[i, 0] + offset)) -> 0.0)}"]})
