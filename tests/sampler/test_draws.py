"""Export of samples to ArviZ, pandas and files, with correct chains, epochs and names."""

import sys

import numpy as np
import pytest

from sampler import DataStream, LogisticRegression, Settings, race
from sampler.algorithms.results import Epoch
from sampler.draws import Draws
from sampler.racing import Curves, EpochCost, FigureOne, Growth, over_seeds, prepare_race
from tests.sampler.replays import run

SAMPLES = np.arange(12.0).reshape(4, 3) ** 2
EPOCH = Epoch(7, SAMPLES, 100, 1, 0, 50)
NAMES = ("price", "age", "intercept")


@pytest.fixture(scope="module")
def result():
    price, age, bought = np.random.default_rng(0).normal(size=(3, 330))
    return run(DataStream([{"price": price, "age": age, "bought": bought > 0}], model="logistic"))


def test_an_epoch_is_one_draw_per_chain():
    posterior = EPOCH.to_datatree(NAMES)["posterior"]
    assert dict(posterior.sizes) == {"chain": 4, "draw": 1, "coefficient": 3}
    assert posterior["theta"].sel(chain=2, draw=7, coefficient="age") == SAMPLES[2, 1]
    assert posterior.attrs["gradient_evaluations"] == 100
    frame = EPOCH.to_dataframe(NAMES)
    assert frame.index.names == ["chain", "draw"] and tuple(frame.columns) == NAMES
    assert frame.loc[(2, 7), "age"] == SAMPLES[2, 1]
    assert list(EPOCH.to_dataframe().columns) == ["theta[0]", "theta[1]", "theta[2]"]
    both = Draws(np.stack([SAMPLES, -SAMPLES], axis=1), np.array([3, 4]), NAMES)
    assert both.to_dataframe().loc[(1, 4), "price"] == -SAMPLES[1, 0]


def test_a_replay_exports_its_names_and_earlier_epochs(result):
    tree = result.to_datatree()
    np.testing.assert_array_equal(tree["posterior"]["theta"].sel(draw=330), result.samples)
    assert tree["posterior"]["coefficient"].values.tolist() == list(NAMES)
    assert tree["earlier_epochs"]["draw"].values.tolist() == list(range(10, 330, 10))
    np.testing.assert_array_equal(tree["earlier_epochs"]["theta"].sel(draw=320), result.watch.window.draws[-2])
    np.testing.assert_array_equal(result.to_dataframe()["price"], result.samples[:, 0])


def test_arviz_summarises_and_plots_a_replay(result):
    import arviz_plots
    import arviz_stats

    table = arviz_stats.summary(result.to_datatree(), kind="stats", round_to="none")
    assert list(table.index) == [f"theta[{name}]" for name in NAMES]
    np.testing.assert_allclose(table["mean"], result.samples.mean(axis=0))
    arviz_plots.plot_forest(result.to_datatree(), combined=True, backend="bokeh")


@pytest.mark.parametrize("suffix", ["nc", "zarr"])
def test_a_tree_is_read_back_from_its_file(result, tmp_path, suffix):
    import xarray

    path = tmp_path / f"draws.{suffix}"
    result.save_draws(path)
    with xarray.open_datatree(path, engine={"nc": "h5netcdf", "zarr": "zarr"}[suffix]) as tree:
        np.testing.assert_array_equal(tree["posterior"]["theta"].values[:, 0], result.samples)
        assert tree["posterior"]["coefficient"].values.tolist() == list(NAMES)
        assert tree["earlier_epochs"].sizes["draw"] == 32


def test_a_table_is_read_back_from_its_parquet_file(tmp_path):
    from pyarrow import parquet

    EPOCH.save_draws(tmp_path / "draws.parquet", NAMES)
    table = parquet.read_table(tmp_path / "draws.parquet").to_pydict()
    assert table == {"chain": [0, 1, 2, 3], "draw": [7] * 4, **{n: SAMPLES[:, j].tolist() for j, n in enumerate(NAMES)}}


def test_a_race_is_a_table_of_checkpoints_and_a_tree_per_sampler():
    rng = np.random.default_rng(3)
    features = np.column_stack([rng.normal(size=60), np.ones(60)])
    setup = prepare_race(LogisticRegression(2), (features, (rng.random(60) < 0.5).astype(float)),
                         Settings(eta0=1.0, batch_size=9, offset=1.0), chains=200, seed=1)
    curves = race(setup, ["saga", "ula"], evaluations=5_000)
    frame = curves.to_dataframe()
    assert list(frame.columns) == ["sampler", "evaluations", "seconds", "steps", "accuracy"]
    np.testing.assert_array_equal(frame[frame["sampler"] == "ula"]["accuracy"], curves["ula"].accuracy)
    tree = curves.to_datatree(("slope", "intercept"))
    assert set(tree.children) == {"saga", "ula"}
    last = tree["saga"]["posterior"]["theta"].values[:, 0]
    assert last.shape == (200, 2) and setup.score(last) == curves["saga"].accuracy[-1]
    assert Curves().to_dataframe().shape == (0, 1)


def test_growth_costs_and_figure_one_are_tables_too():
    t, growth = np.array([100.0, 200.0]), {"saga": Growth("saga", np.array([100.0, 200.0]), np.array([7.0, 8.0]))}
    frame = over_seeds([growth, growth]).to_dataframe()
    np.testing.assert_allclose(frame[["t", "evaluations"]], [[100, 7], [200, 8]])
    costs = Curves(ula=EpochCost("ula", 3, t, 3 * t, t / 1e6)).to_dataframe()
    assert costs.values.tolist() == [["ula", 100, 3, 300, 1e-4], ["ula", 200, 3, 600, 2e-4]]
    figure = FigureOne(300, {"sgld_same": np.array([0.5, 0.6]), "saga": np.array([0.9])}, np.array([0.92, 0.93]),
                       {"sgld_same": 64.0, "saga": 65.0}, {"sgld_same": 1.0, "saga": 2.0}, 0.1, 1e4).to_dataframe()
    assert figure["sampler"].tolist() == ["sgld_same", "sgld_same", "saga"] and figure["data_set"].tolist() == [0, 1, 0]
    assert figure["ceiling"].tolist() == [0.92, 0.93, 0.92] and figure["printed"].isna().tolist() == [True, True, False]


@pytest.mark.parametrize(("path", "names", "words"), [
    *(("x.parquet", wrong, "names must be 3 different strings") for wrong in ("abc", ("a", "b"), ("a", "a", "b"),
                                                                              (1, 2, 3))),
    ("x.xlsx", None, "path must end in .parquet, .nc or .zarr, got 'x.xlsx'"),
    ("none/x.parquet", None, "path: there is no folder for"), ("none/x.nc", None, "path: there is no folder for")])
def test_invalid_names_and_paths(path, names, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=words):
        EPOCH.save_draws(path, names)


def test_an_older_file_survives_a_failed_write(tmp_path):
    path = tmp_path / "draws.parquet"
    EPOCH.save_draws(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="names must be other than chain and draw"):
        EPOCH.save_draws(path, ("chain", "age", "draw"))
    assert path.read_bytes() == before
    (tmp_path / "draws.zarr").mkdir()
    with pytest.raises(ValueError, match="already exists"):
        EPOCH.save_draws(tmp_path / "draws.zarr")


def test_a_missing_package_is_named_with_its_extra(monkeypatch, tmp_path):
    for package, call in (("xarray", EPOCH.to_datatree), ("pandas", EPOCH.to_dataframe),
                          ("h5netcdf", lambda: EPOCH.save_draws(tmp_path / "x.nc")),
                          ("zarr", lambda: EPOCH.save_draws(tmp_path / "x.zarr"))):
        words = rf"{package} must be installed .*exit-time-lab\[arviz\]"
        with monkeypatch.context() as without, pytest.raises(ValueError, match=words):
            without.setitem(sys.modules, package, None)
            call()
