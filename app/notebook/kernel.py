"""The kernel this process is, if it is one."""

from __future__ import annotations

from typing import Any


def kernel_shell() -> Any:
    """Return the shell of a notebook's kernel, None outside of one."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    shell = get_ipython()
    return shell if hasattr(shell, "kernel") else None


def running_cell(shell: Any) -> str:
    """Return the number of the cell that is run; empty where the notebook does not say."""
    return str(shell.kernel.get_parent("shell").get("metadata", {}).get("cellId", ""))
