"""One and two workers of a local cluster against one thread of one process: the same chains on the same rows.

Each worker has one thread. Wall-clock rows require two free cores. The processor time of the busiest worker is, even on a
busy machine, the time of a block if each worker had a separate core.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

from sampler import LogisticRegression, OnlineSagaLD
from sampler.production import ClusterChains
from tests.benchmarks.chains import DIM, SETTINGS, paper_rows
from tests.benchmarks.timing import Row, race, row, skipped

CHAINS, STEPS = 64, 40
CALLS = 5  # over which processor time is summed


def _processor_seconds(work: Callable[[], object], clocks: Callable[[], list[float]]) -> float:
    """Return processor seconds per call of the busiest of the processes behind ``clocks``."""
    before = clocks()
    for _ in range(CALLS):
        work()
    return max(after - start for after, start in zip(clocks(), before, strict=True)) / CALLS


def measure(quick: bool) -> Iterator[Row]:
    """Measure blocks of 10, 100 and 500 rows, with samples gathered after each block."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        yield skipped("a cluster against one thread", "distributed is not installed")
        return
    problem, settings = LogisticRegression(DIM), SETTINGS.replace(i_max=STEPS)
    clients = []
    try:
        for count in (1, 2):
            cluster = LocalCluster(n_workers=count, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
                                   silence_logs=50)
            clients.append(Client(cluster, set_as_default=False))
        for block in (10, 100, 500):
            turns = max(3, min(21, 3_000 // block) // (3 if quick else 1))
            one = OnlineSagaLD(problem, settings, chains=CHAINS, threads=1)
            many = [ClusterChains(problem, settings, CHAINS, client) for client in clients]
            rows = paper_rows(block)
            seconds = race({place: (partial(chains.observe, *rows), 1.0) for place, chains in enumerate((one, *many))},
                           turns, time.perf_counter)
            least = [1e3 * seconds[place].min() for place in range(3)]
            alone = _processor_seconds(partial(one.observe, *rows), lambda: [time.process_time()])
            for count, client, chains in zip((1, 2), clients, many, strict=True):
                name = f"{count} worker{'s' * (count > 1)} over one thread, {CHAINS} chains, blocks of {block:,} rows"
                yield row(name, seconds[0] / seconds[count],
                          note=f"least {least[0]:.3g} and {least[count]:.3g} ms: {least[0] / least[count]:.2f}x")
                busiest = _processor_seconds(partial(chains.observe, *rows),
                                             lambda client=client: list(client.run(time.process_time).values()))
                yield row(f"{name}, processor time of the busiest", alone / busiest,
                          note=f"{1e3 * alone:.3g} and {1e3 * busiest:.3g} ms")
            for chains in many:
                chains.close()
    finally:
        for client in clients:
            client.close()
            client.cluster.close()
