"""Loading a user's problem by its name, ``module:name``; the current folder is searched first."""

import importlib
import os
import sys
from typing import Any

from sampler.arguments import shown
from sampler.problems.base import Problem


def load_attribute(name: str, folder: str | None = None) -> Any:
    """Import the object ``module:name`` from ``folder`` (None: the current one) or the installed packages."""
    module_name, colon, attribute = name.partition(":") if isinstance(name, str) else ("", "", "")
    if not colon or not module_name or not attribute:
        raise ValueError(f"problem must be module:name, got {shown(name)}; e.g. mymodule:problem for mymodule.py here")
    here = folder or os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name not in (module_name, module_name.split(".")[0]):
            raise ValueError(f"problem: module {module_name!r} needs {error.name!r}, which is not installed") from None
        raise ValueError(f"problem: there is no module {module_name!r} (searched {here} and the installed packages); "
                         "go to its folder") from None
    except Exception as error:  # the user's code may raise anything
        raise ValueError(f"problem: module {module_name!r} fails on import: {type(error).__name__}: {error}") from error
    if not hasattr(module, attribute):
        names = ", ".join(n for n in vars(module) if not n.startswith("_"))
        raise ValueError(f"problem: module {module_name!r} has no {attribute!r}; it has {names}")
    return getattr(module, attribute)


def load_problem(name: str, folder: str | None = None) -> Problem:
    """Load the problem ``name``, ``module:name``; a function is called without arguments and must return the problem.

    The module is searched in ``folder`` first; None is the current one. ValueError for an object that is not a problem.
    """
    problem = load_attribute(name, folder)
    if not hasattr(problem, "dim") and callable(problem):
        problem = problem()
    if not hasattr(problem, "dim") or not hasattr(problem, "kind"):
        raise ValueError(f"problem: {name!r} must be a problem, e.g. GradientOracle(gradients, dim), got "
                         f"{type(problem).__name__}")
    problem.named = name, folder or os.getcwd()  # for loading it in another process
    return problem
