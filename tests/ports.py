"""Ports for servers that a test or a benchmark starts."""

import socket
import subprocess
from pathlib import Path

from tests.waiting import wait_for


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait_until_it_listens(port: int, process: subprocess.Popen, log: Path, seconds: float) -> None:
    """Wait until a server that has been started answers at its port, and fail with the end of its log if it has ended."""
    def listens() -> bool:
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return False
        return True

    wait_for(listens, lambda: log.read_text()[-2000:], seconds)
