"""The paper's experiment (LMV-n section 5): marginal accuracy against its ceiling after 3,000 steps, on eight seeds."""

from sampler import (
    LogisticRegression,
    OnlineSagaLD,
    Settings,
    accuracy_ceiling,
    long_chain_reference,
    marginal_accuracy,
    synthetic_logistic,
)
from tests.benchmarks.harness import Row

T, CHAINS, STEPS = 1000, 1000, 3000


def shortfall(seed: int) -> tuple[float, float]:
    """Accuracy of 1,000 chains that each run epoch 1,000 from one saved state, and its ceiling."""
    features, labels, _ = synthetic_logistic(T, 20, seed=seed)
    settings = Settings(eta0=0.1, batch_size=64, i_max=1000, offset=2.0)
    one = OnlineSagaLD(LogisticRegression(21), settings, chains=1, seed=seed)
    one.observe(features[:-1], labels[:-1])
    chains = OnlineSagaLD(LogisticRegression(21), settings.replace(i_max=1), chains=CHAINS, seed=seed + 100,
                          start=one.positions[0])
    chains.hold_rows(features[:-1], labels[:-1])
    state, saved = chains._state, one._state
    state.gradient_sum[:], state.checkpoint[:], chains.t = saved.gradient_sum[0], saved.checkpoint[0], T - 1
    chains._memory.hold(T, 0)
    chains._memory.items[:, :T - 1] = one._memory.items[0, :T - 1]
    chains.settings = settings.replace(i_max=STEPS, random_length=False)
    samples = chains.observe(features[-1], labels[-1]).samples
    reference = long_chain_reference(chains.posterior, draws=CHAINS, seed=seed, thin=4)
    return marginal_accuracy(samples, reference.samples), accuracy_ceiling(reference.samples, CHAINS)


def rows(quick: bool) -> list[Row]:
    """One row a seed."""
    out = []
    for seed in range(1 if quick else 8):
        score, ceiling = shortfall(seed)
        out.append(Row(f"marginal accuracy of the paper's experiment, seed {seed}",
                       f"{score:.3f} (ceiling {ceiling:.3f})", "within 0.01", bool(score >= ceiling - 0.01)))
    return out
