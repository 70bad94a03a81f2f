"""Ports of servers started by tests and benchmarks."""

import re
import socket
import subprocess
from pathlib import Path

from tests.waiting import wait_for


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for_output(process: subprocess.Popen, log: Path, pattern: str, seconds: float = 180) -> re.Match:
    """Wait until a started program writes the pattern; fail with its log if it ends first."""
    def ended() -> None:
        assert process.poll() is None, log.read_text()

    return wait_for(lambda: re.search(pattern, log.read_text()), log.read_text, seconds, look=ended, every=0.05)


def wait_until_it_listens(port: int, process: subprocess.Popen, log: Path, seconds: float) -> None:
    """Wait until a started server accepts connections; fail with the end of its log if it ends first."""
    def ended() -> None:
        assert process.poll() is None, log.read_text()[-2000:]

    wait_for(lambda: listens(port), lambda: log.read_text()[-2000:], seconds, look=ended)
