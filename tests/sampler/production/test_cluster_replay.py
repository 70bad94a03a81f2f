"""Replays with chains on a cluster: the same results as on one machine, and resumable on either."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from sampler import DataStream, GradientOracle, LogisticRegression
from sampler.__main__ import main
from sampler.algorithms import state_archive
from sampler.production import Gates, JsonLines, cluster_placement, cluster_worker
from sampler.tuning.workers import PLAIN_TCP, connect
from tests.sampler.algorithms.streams import CountingOracle
from tests.sampler.cli.test_replay_command import lines_in
from tests.sampler.replays import after, finish, replay, run
from tests.waiting import wait_for

pytest.importorskip("distributed")
dask = pytest.importorskip("dask")


def part_of(rows, folder, name, client=None, **options):
    return replay(rows, chains=16, every=5, output=JsonLines(str(folder / f"{name}.jsonl")), client=client,
                  checkpoint=str(folder / f"{name}.npz"), seconds=1e9, **options)


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_run_moves_between_machine_and_cluster(client, rows, tmp_path, monkeypatch, goes_on):
    """A lost share resumes from the checkpoint; the last machine differs from the first."""
    monkeypatch.setattr(cluster_placement, "MOST_BYTES", 4000)
    rows = tuple(part[:180] for part in rows)
    expected = finish(part_of(rows, tmp_path, "whole"))
    at, queue = 0, iter([rows])
    for place, blocks in ((None, 13), (client, 8), (client, 6), (None, 10**9)):
        there = {} if place is None else {"rows_in": tmp_path, "expect": 180}
        part = part_of(queue if goes_on else rows, tmp_path, "parts", place, goes_on=goes_on, **there)

        def lose_all(t, part=part, place=place):
            if place is not None and t % 40 == 0:
                part._save_state()
                client.submit(cluster_worker.forget, part.saga._cluster._run, pure=False).result()

        result = finish(part, after(blocks), lose_all)
        assert result.resumed_at == at
        at = result.t
        before = (tmp_path / "parts.npz.before").exists() and result.resumed_at > 0  # it may refer to shares
        assert (tmp_path / "parts.npz.shares").exists() == (place is not None or before)
    np.testing.assert_array_equal(result.samples, expected.samples)
    assert result.watch.measurements() | {"seconds_per_epoch": 0} == expected.watch.measurements() | {"seconds_per_epoch": 0}
    assert (result.fingerprint, result.gradient_evaluations) == (expected.fingerprint, expected.gradient_evaluations)
    assert result.watch.lag.value is not None
    assert (tmp_path / "parts.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_an_interrupted_save_leaves_the_previous_checkpoint_and_no_file(client, rows, tmp_path, monkeypatch):
    finish(part_of(rows, tmp_path, "state", client), after(20))
    before = (tmp_path / "state.npz").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("sampler.production.cluster_chains.write_state", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):  # after all shares are saved
            finish(part_of(rows, tmp_path, "state", client), after(10))
    folder = tmp_path / "state.npz.shares"
    (folder / f".{'0' * 32}-0-3.npz.half").write_bytes(b"half a share")
    (folder / "mine.txt").write_text("not ours")
    assert (tmp_path / "state.npz").read_bytes() == before and len(list(folder.iterdir())) == 6
    again = part_of(rows, tmp_path, "state")
    assert again.resume() == 100
    assert len(list(folder.iterdir())) == 3
    again.close()
    share = next(folder.glob("*.npz"))
    share.rename(tmp_path / "elsewhere.npz")
    for place in (None, client):
        with pytest.raises(ValueError, match="which does not exist; copy the folder 'state.npz.shares' too"):
            part_of(rows, tmp_path, "state", place).resume()
    finish(part_of(rows, tmp_path, "other"), after(5))
    np.savez(share, **dict(np.load(tmp_path / "other.npz")))
    with pytest.raises(ValueError, match="is of epoch 25, .*state.npz' of 100"):
        part_of(rows, tmp_path, "state").resume()
    with pytest.raises(ValueError, match="has version 9, this release reads 2 and 3"):
        meta = json.loads(str(np.load(tmp_path / "other.npz")["meta"]))
        np.savez(tmp_path / "other.npz", meta=json.dumps({**meta, "version": 9}))
        state_archive.read_meta(tmp_path / "other.npz")


def test_gates_and_user_gradients_on_a_cluster(client, rows, tmp_path):
    gates = Gates(min_predictive_score=0.0, warm_up=50)
    failures = [finish(part_of(rows, tmp_path, name, place, gates=gates)).failure
                for name, place in (("here", None), ("there", client))]
    assert failures[0] == failures[1] and failures[0].gate == "min_predictive_score"
    oracle = GradientOracle(CountingOracle(LogisticRegression(3), rows).gradients, 3, lambda theta: theta)
    samples = []
    for place, blocks in ((None, 9), (client, 2), (client, 9)):
        samples.append(run([(np.zeros((25, 0)), None)], after(blocks), problem=oracle, chains=2, client=place,
                           checkpoint=str(tmp_path / f"own-{place is None}.npz")).samples)
    np.testing.assert_array_equal(samples[0], samples[2])


@pytest.fixture
def folder(tmp_path, monkeypatch, rows):
    """Current folder with bare settings and data."""
    monkeypatch.chdir(tmp_path)
    np.savetxt("data.csv", np.column_stack([rows[0][:, :2], rows[1]]), delimiter=",", header="a,b,y", comments="")
    (tmp_path / "tuned.toml").write_text("[settings]\neta0 = 0.5\nbatch_size = 5\ni_max = 8\nacceptance_radius = 20.0\n")
    return tmp_path


OPTIONS = ["replay", "tuned.toml", "data.csv", "--chains", "16", "--every", "5", "--json", "--quiet"]


@pytest.mark.parametrize(("options", "words"), [
    (["--scheduler", "tcp://127.0.0.1:1"], "no response from 'tcp://127.0.0.1:1' within 0.5 s"),
    (["--scheduler", "tcp://192.0.2.9:8786"], "'tcp://192.0.2.9:8786' is on another host and not encrypted"),
    (["--scheduler", "node7:8786"], "is on another host and not encrypted"),
    (["--scheduler", "tcp://192.0.2.9:8786", "--plain-tcp"], "no response from 'tcp://192.0.2.9:8786'"),
    (["--scheduler", "tls://127.0.0.1:1"], "'tls://127.0.0.1:1' needs certificates; pass --tls-ca"),
    (["--scheduler", "tls://127.0.0.1:1", "--tls-ca", "data.csv", "--tls-cert", "data.csv", "--tls-key", "data.csv"],
     "the certificates for 'tls://127.0.0.1:1' cannot be used"),
    (["--scheduler", "tls://127.0.0.1:1", "--tls-ca", "none.pem"], "ca-file: there is no file 'none.pem'"),
    (["--scheduler", "tcp://127.0.0.1:1", "--threads", "2"], "threads must be left out with --scheduler, got 2"),
    (["--plain-tcp"], "scheduler is missing: the --tls options and --plain-tcp require"),
    (["--scheduler", ""], "scheduler must be an address such as tcp://127.0.0.1:8786"),
])
def test_an_unreachable_scheduler_is_an_error(folder, capsys, monkeypatch, options, words):
    monkeypatch.setattr("sampler.tuning.workers.CONNECT_TIMEOUT", 0.5)
    assert main([*OPTIONS, *options]) == 1
    assert words in json.loads(capsys.readouterr().out)["error"]


def test_an_unencrypted_worker_on_another_host_is_rejected(client, monkeypatch):
    closed = []
    monkeypatch.setattr(type(client), "nthreads", lambda self: {"tcp://127.0.0.1:5": 1, "tcp://192.0.2.9:5": 1})
    monkeypatch.setattr("distributed.Client", lambda *args, **more: client)
    monkeypatch.setattr(type(client), "close", lambda self: closed.append(True))
    with pytest.raises(ValueError, match="worker: 'tcp://192.0.2.9:5' is on another host and not encrypted"):
        connect("tcp://127.0.0.1:9")
    assert closed
    with dask.config.set({PLAIN_TCP: False}):
        assert connect("tcp://127.0.0.1:9") is client


def test_the_command_line_runs_on_a_cluster(client, folder, capsys, monkeypatch):
    monkeypatch.setattr("sampler.cli.options.connect", lambda address: client if address == "tcp://[::1]:9" else 0)
    monkeypatch.setattr(type(client), "close", lambda self, *args, **more: None)
    here, there = [json.loads(capsys.readouterr().out) for options in ([], ["--scheduler", "tcp://[::1]:9"])
                   if main([*OPTIONS, *options]) == 0]
    for end in (here, there):
        del end["seconds_per_epoch"]
    assert here == there and here["lag"] is not None


@pytest.mark.slow
def test_a_command_on_a_cluster_of_processes_survives_them_all(processes, folder, capsys):
    """Worker killed in mid-run; SIGTERM; command killed; hanging worker named; scheduler killed."""
    client, scheduler, workers = processes
    whole = folder / "whole.jsonl"
    assert main([*OPTIONS, "--out", str(whole)]) == 0
    expected = json.loads(capsys.readouterr().out)
    text = (folder / "data.csv").read_text().splitlines(keepends=True)
    (folder / "grows.csv").write_text("".join(text[:100]))
    command = [sys.executable, "-m", "sampler", "replay", "tuned.toml", "grows.csv", *OPTIONS[3:], "--out", "parts.jsonl",
               "--checkpoint", "state.npz", "--checkpoint-seconds", "0", "--scheduler", client.scheduler.address,
               "--worker-timeout", "45"]

    def start(*more):
        return subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def until(lines, process):
        wait_for(lambda: lines_in(folder / "parts.jsonl") >= lines,
                 look=lambda: process.poll() is None or pytest.fail(str(process.communicate())))

    def grow(upto):
        with open(folder / "grows.csv", "a") as file:
            file.write("".join(text[lines_in(folder / "grows.csv"):upto]))

    process = start("--follow")
    until(19, process)
    first, second = sorted(workers)
    workers[first].send_signal(signal.SIGKILL)
    workers[first].wait()
    grow(200)
    until(39, process)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and json.loads(out)["ended"] == "stopped", err
    process = start("--follow")
    grow(260)
    until(51, process)
    process.kill()
    process.communicate()
    workers[second].send_signal(signal.SIGSTOP)
    code = start()
    out, err = code.communicate(timeout=240)
    assert code.returncode == 1 and f"no answer within 45 s from worker {second}" in out, err
    workers[second].send_signal(signal.SIGCONT)
    process = start("--follow")
    grow(300)
    until(59, process)
    scheduler.send_signal(signal.SIGKILL)
    scheduler.wait()
    grow(331)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 1, err
    assert "scheduler: it no longer answers" in err and "is saved in 'state.npz'" in err and "Traceback" not in err
    assert main([*OPTIONS, "--out", "parts.jsonl", "--checkpoint", "state.npz"]) == 0
    end = json.loads(capsys.readouterr().out)
    assert end["resumed_at"] >= 255 and (end["mean"], end["score"], end["lag"]) == (
        expected["mean"], expected["score"], expected["lag"])
    assert (folder / "parts.jsonl").read_bytes() == whole.read_bytes()
    assert DataStream("grows.csv").dim == 3 and (folder / "state.npz.before").exists()  # it still refers to shares
